const NAME_LENGTH_MAX = 100;

/** Returns a text as one line without control characters: nothing in it can begin a header or turn what follows around. */
export function toOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, '')
    .trim();
}

/**
 * Returns a name that somebody chose, fit for the text of a message to somebody else: one line, of bounded length, and
 * with nothing that a mail program would make a link of. Otherwise an invitation could carry any advertisement.
 */
export function toPlainName(name: string): string {
  const characters = [...toOneLine(name)];
  const short =
    characters.length > NAME_LENGTH_MAX
      ? `${characters.slice(0, NAME_LENGTH_MAX - 1).join('')}…`
      : characters.join('');
  return short.replace(/:\/\//g, ': ').replace(/([.@])(?=\S)/gu, '$1\u200b');
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns a text that stands for itself in HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
