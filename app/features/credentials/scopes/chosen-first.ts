/** Returns the entries of a checklist, those that were chosen when it opened before the others. */
export function chosenFirst<T extends { id: string }>(chosen: readonly T[], entries: readonly T[]): T[] {
  const ids = new Set(chosen.map(({ id }) => id));
  return [...chosen, ...entries.filter(({ id }) => !ids.has(id))];
}

/** Returns the list of what was found in a checklist and checked there, with one more entry. */
export function withPicked<T extends { id: string }>(picked: readonly T[], entry: T): readonly T[] {
  return picked.some(({ id }) => id === entry.id) ? picked : [...picked, entry];
}

/** Returns the entries that a list no longer shows, such as after its search was cleared. */
export function notShown<T extends { id: string }>(picked: readonly T[], shown: readonly T[]): T[] {
  return picked.filter(({ id }) => !shown.some((entry) => entry.id === id));
}
