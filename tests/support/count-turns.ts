/** Does the work and tells, beside its result, how many turns of the event loop everybody else had meanwhile. */
export async function countTurns<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; turns: number }> {
  let turns = 0;
  let isOver = false;
  const others = () => {
    turns += 1;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  try {
    const result = await work();
    return { result, turns };
  } finally {
    isOver = true;
  }
}
