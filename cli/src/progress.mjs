import { formatBytes } from './format.mjs';

const BAR_WIDTH = 24;
const REDRAW_MS = 80;
/** Of a terminal that does not say. */
const COLUMNS = 80;
const PLAIN_LINE_MS = 5000;
/** Many a runner ends a job that prints nothing for some minutes. */
const SILENCE_MS = 30_000;
/** Uploads run side by side and fail together: one line tells of all. */
const RETRY_LINE_MS = 5000;

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
    this.retriedAt = 0;
    this.writtenAt = Date.now();
    if (!isSilent && !this.isTerminal) setInterval(() => this.breakSilence(), SILENCE_MS / 6).unref();
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
    else this.writeStand();
  }

  /**
   * Shows a step without a measurable length, such as publishing.
   * @param {string} label
   */
  note(label) {
    this.clear();
    this.label = label;
    this.total = 0;
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

  /**
   * Prints that something is tried again, unless such a line was printed a moment ago.
   * @param {string} text
   */
  retry(text) {
    const now = Date.now();
    if (now - this.retriedAt < RETRY_LINE_MS) return;
    this.retriedAt = now;
    this.warn(text);
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
    const line = `${this.label} ${bar}${percent}  ${formatBytes(this.done)} of ${formatBytes(this.total)}`;
    // What goes on in a second row stays there when the first one is drawn again.
    this.stream.write(`\r\x1b[2K${line.slice(0, (this.stream.columns || COLUMNS) - 1)}`);
    this.isDrawn = true;
  }

  breakSilence() {
    if (this.label !== '' && Date.now() - this.writtenAt >= SILENCE_MS) this.writeStand();
  }

  writeStand() {
    const stand = this.total === 0 ? 'waiting' : `${formatBytes(this.done)} of ${formatBytes(this.total)}`;
    this.writeLine(`${this.label}: ${stand}`);
  }

  /** @param {string} text */
  writeLine(text) {
    this.writtenAt = Date.now();
    if (!this.isSilent) this.stream.write(`${text}\n`);
  }
}
