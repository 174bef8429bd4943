/** Returns the entries of a checklist, those that were chosen when it opened before the others. */
export function chosenFirst<T extends { id: string }>(chosen: readonly T[], entries: readonly T[]): T[] {
  const ids = new Set(chosen.map(({ id }) => id));
  return [...chosen, ...entries.filter(({ id }) => !ids.has(id))];
}
