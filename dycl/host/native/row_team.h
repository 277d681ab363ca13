/* Threads that share the runs of a call. One calls, the others help: they join a round
   while it is open, so one that sleeps, or has no processor, holds nobody up, and they
   take runs one by one, so that a long one keeps nobody from the others. */

#define DYCL_LOOKS_FOR_ROUND DYCL_PAUSE /* ns in which one looks before it sleeps */
#define DYCL_LOOKS_FOR_END 50000 /* the same of the caller, for the end of a run */
#define DYCL_ASKS 50000000 /* ns after which it asks whether the round is to end */

struct dycl_team {
    struct dycl_each *each; /* the caller's, and one for each that helps */
    int64_t threads;
    _Atomic uint32_t turn; /* counts rounds */
    _Atomic uint32_t asleep; /* how many are */
    _Atomic uint32_t round; /* 1 while it is open, and 2 for each that is in it */
    _Atomic uint32_t waiting; /* for the others to leave, asleep */
    _Atomic uint32_t ends;
    _Atomic uint32_t stops; /* who calls wants a round to end */
    uint32_t control; /* how the caller's processor rounds */
};

struct dycl_helper {
    struct dycl_team *team;
    int64_t number; /* which of `each` is its own */
    uint32_t seen; /* the turn of the last round that it was in */
};

/* Let the others in. Nobody is in a round that has been closed. */
static void dycl_open_round(struct dycl_team *team)
{
    if (team->threads < 2)
        return;
    team->control = dycl_rounding();
    team->stops = 0;
    team->round = 1;
    team->turn++;
    if (team->asleep > 0)
        dycl_wake(&team->turn);
}

/* Who calls wants the round to end: that is what is raised. */
static void dycl_stop_round(struct dycl_team *team)
{
    team->each[0].how = DYCL_STOPPED;
    team->each[0].failed = -1;
    team->stops = 1;
}

/* Let nobody in any more, and wait for those who are. Long loops ask the caller whether
   they are to end, which may be in another thread now: so it is asked here. */
static void dycl_close_round(struct dycl_team *team)
{
    if (team->threads < 2)
        return;
    struct dycl_each *own = &team->each[0];
    const struct timespec within = {.tv_nsec = DYCL_ASKS};
    uint32_t left = atomic_fetch_sub(&team->round, 1) - 1;
    if (own->how == DYCL_STOPPED)
        dycl_stop_round(team);
    for (; left != 0; left = team->round) {
        if (dycl_changes(&team->round, left, DYCL_LOOKS_FOR_END))
            continue;
        team->waiting = 1;
        dycl_sleep_until(&team->round, left, &within);
        team->waiting = 0;
        if (!team->stops && own->net->poll != NULL && own->net->poll(own->net))
            dycl_stop_round(team);
    }
}

/* What loops ask that a thread runs which helps. */
static int dycl_is_stopped(dycl_net *net)
{
    return ((struct dycl_team *)net->user)->stops;
}

/* Wait for a round that it has not been in, and join it. False: the team ends. */
static bool dycl_join_round(struct dycl_helper *helper)
{
    struct dycl_team *team = helper->team;
    for (;;) {
        const uint32_t turn = team->turn;
        uint32_t round = team->round;
        if (team->ends)
            return false;
        while (turn != helper->seen && round & 1)
            if (atomic_compare_exchange_weak(&team->round, &round, round + 2)) {
                helper->seen = turn;
                return true;
            }
        if (dycl_changes(&team->turn, turn, DYCL_LOOKS_FOR_ROUND))
            continue;
        atomic_fetch_add(&team->asleep, 1);
        dycl_sleep(&team->turn, turn);
        atomic_fetch_sub(&team->asleep, 1);
    }
}

static void dycl_leave_round(struct dycl_team *team)
{
    atomic_fetch_sub(&team->round, 2);
    if (team->waiting)
        dycl_wake(&team->round);
}
