"""The 1,797 handwritten digits of scikit-learn, as 32x32 colour images."""

import torch
from torch.nn.functional import interpolate


def digits():
    """Return training images and labels, then held-back images and labels.

    Images are Nx3x32x32 float32, labels N int64; N is 1,437 and 360. The split is
    stratified and fixed. Mean and deviation are those of the training images.
    """
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    data = load_digits()
    images = torch.tensor(data.images, dtype=torch.float32)[:, None]
    images = interpolate(images, size=(32, 32), mode="bilinear", align_corners=False)
    labels = torch.tensor(data.target, dtype=torch.int64)
    train, held = train_test_split(
        range(len(labels)), test_size=360, random_state=0, stratify=data.target
    )
    images = (images - images[train].mean()) / images[train].std()
    images = images.expand(-1, 3, -1, -1).contiguous()
    return images[train], labels[train], images[held], labels[held]
