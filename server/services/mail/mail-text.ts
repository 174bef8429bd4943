const NAME_LENGTH_MAX = 100;

/** Letters that are written from right to left: Hebrew, Arabic, and the scripts like them. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Returns text on one line without control characters and unseen spaces, so that it cannot begin a header. No-break spaces
 * stay, as in "12,50 $".
 */
export function toOneLine(text: string): string {
  return text
    .replace(/(?:\p{Cc}|[^\S\u00a0\u202f])+/gu, ' ')
    .replace(/[\u200b\u2060-\u2065\ufeff]/gu, '')
    .trim();
}

/**
 * Returns a name chosen by one person in a form that is safe in a message to another: one line, of limited
 * length, and with nothing that a mail program would turn into a link. Otherwise an invitation could carry
 * advertising. It cannot change the direction of what follows, and a name from right to left is isolated: without that, an
 * amount or a date after it would be shown on its other side.
 */
export function toPlainName(name: string): string {
  const characters = [...toOneLine(name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ''))];
  const short =
    characters.length > NAME_LENGTH_MAX
      ? `${characters.slice(0, NAME_LENGTH_MAX - 1).join('')}…`
      : characters.join('');
  const plain = short.replace(/:\/\//g, ': ').replace(/([.@])(?=\S)/gu, '$1\u200b');
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
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
