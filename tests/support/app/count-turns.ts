/**
 * Runs the work and returns, in addition to its result, how many turns the event loop took meanwhile, and
 * which share of the processor time between its beginning and its end the longest stretch without a turn took
 * (1: it was one block).
 */
export async function countTurns<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; turns: number; longestShare: number }> {
  let turns = 0;
  let isOver = false;
  let longest = 0;
  const begunAt = cpuMicroseconds();
  let lastAt = begunAt;
  const noteStretch = () => {
    const now = cpuMicroseconds();
    longest = Math.max(longest, now - lastAt);
    lastAt = now;
  };
  const others = () => {
    turns += 1;
    noteStretch();
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  try {
    const result = await work();
    noteStretch();
    return { result, turns, longestShare: longest / (lastAt - begunAt) };
  } finally {
    isOver = true;
  }
}

/** Of this thread, so that a busy machine does not count as a long stretch. */
function cpuMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
