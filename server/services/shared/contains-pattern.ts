/** Returns the pattern of `like … escape '\\'` for whatever contains a text as it stands: no letter of it is a wildcard. */
export function containsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
