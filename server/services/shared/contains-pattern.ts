/**
 * Returns the pattern of `like … escape '\\'` for values that contain a text literally: none of its
 * characters is a wildcard.
 */
export function containsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
