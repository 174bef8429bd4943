const SHOWN = 2;

/**
 * Returns the initials of a name for when there is no picture: those of its first two words, otherwise the
 * first two letters of its only word. Words without a letter or digit do not count: "Rivers & Lakes" is RL.
 * Empty when there are none.
 */
export function initialsOf(name: string): string {
  const words = name
    .normalize()
    .split(/\s+/)
    .map((word) => word.match(/[\p{L}\p{N}]/gu) ?? [])
    .filter((letters) => letters.length > 0);
  const letters =
    words.length > 1 ? words.slice(0, SHOWN).map(([first]) => first) : words[0]?.slice(0, SHOWN);
  return (letters ?? []).join('').toUpperCase();
}
