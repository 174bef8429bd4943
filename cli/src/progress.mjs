import { formatBytes } from './format.mjs';

const BAR_WIDTH = 24;
const REDRAW_MS = 80;
const PLAIN_LINE_MS = 5000;

/**
 * Shows the progress of a deploy on standard error: a bar on a terminal, plain lines elsewhere, nothing when
 * machines read the output.
 */
export class Progress {
  /**
   * @param {{ isSilent: boolean, stream?: NodeJS.WriteStream }} options
   */
  constructor({ isSilent, stream = process.stderr }) {
    this.stream = stream;
    this.isSilent = isSilent;
    this.isTerminal = stream.isTTY === true && process.env.TERM !== 'dumb';
    this.label = '';
    this.done = 0;
    this.total = 0;
    this.drawnAt = 0;
    this.isDrawn = false;
  }

  /**
   * Begins a step that handles `total` bytes.
   * @param {string} label
   * @param {number} total
   */
  start(label, total) {
    this.label = label;
    this.total = total;
    this.done = 0;
    this.drawnAt = Date.now();
    if (this.isTerminal) this.draw();
    else this.writeLine(`${label} (${formatBytes(total)})`);
  }

  /** @param {number} bytes */
  advance(bytes) {
    this.done = Math.max(0, this.done + bytes);
    const now = Date.now();
    if (now - this.drawnAt < (this.isTerminal ? REDRAW_MS : PLAIN_LINE_MS)) return;
    this.drawnAt = now;
    if (this.isTerminal) this.draw();
    else this.writeLine(`${this.label}: ${formatBytes(this.done)} of ${formatBytes(this.total)}`);
  }

  /**
   * Shows a step without a measurable length, such as publishing.
   * @param {string} label
   */
  note(label) {
    this.clear();
    if (!this.isTerminal) this.writeLine(label);
    else if (!this.isSilent) {
      this.stream.write(`${label}…`);
      this.isDrawn = true;
    }
  }

  /**
   * Prints a line that stays.
   * @param {string} text
   */
  warn(text) {
    this.clear();
    this.writeLine(text);
  }

  /** Removes the bar. */
  clear() {
    if (!this.isDrawn) return;
    this.stream.write('\r\x1b[2K');
    this.isDrawn = false;
  }

  draw() {
    if (this.isSilent) return;
    const share = this.total === 0 ? 1 : Math.min(1, this.done / this.total);
    const filled = Math.round(share * BAR_WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
    const percent = `${Math.floor(share * 100)}%`.padStart(5);
    this.stream.write(
      `\r\x1b[2K${this.label} ${bar}${percent}  ${formatBytes(this.done)} of ${formatBytes(this.total)}`,
    );
    this.isDrawn = true;
  }

  /** @param {string} text */
  writeLine(text) {
    if (!this.isSilent) this.stream.write(`${text}\n`);
  }
}
