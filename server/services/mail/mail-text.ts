const NAME_LENGTH_MAX = 100;

/**
 * Returns text on one line without control characters, so that it cannot begin a header or change the
 * direction of what follows.
 */
export function toOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, '')
    .trim();
}

/**
 * Returns a name chosen by one person in a form that is safe in a message to another: one line, of limited
 * length, and with nothing that a mail program would turn into a link. Otherwise an invitation could carry
 * advertising.
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

/** Escapes text for HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
