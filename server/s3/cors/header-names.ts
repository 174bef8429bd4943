/** Whether a text is the name of a header ("token" of RFC 9110). */
export function isHeaderName(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i.test(text);
}

/** Returns the names in a list such as Access-Control-Request-Headers, as they are written. */
export function listHeaderNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}
