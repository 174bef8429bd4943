/** True when the text contains an ASCII control character (NUL, CR, LF, tab, DEL, …). */
export function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/**
 * True for a decoded path that no manifest can contain: control characters, a backslash, an empty segment in
 * the middle, `.` or `..`. Manifest paths are keys and not paths on disk, so this is a second line of
 * defence: it keeps such paths out of rules and redirects too.
 */
export function isUnsafePath(path: string): boolean {
  if (path.includes('\\') || path.includes('//') || hasControlCharacter(path)) return true;
  return path.includes('/.') && path.split('/').some((segment) => segment === '.' || segment === '..');
}
