import { type CardFields, makeCardFields } from './card-fields.ts';
import { applyLook, type Look } from './style-sheet.ts';
import type { Words } from './words.ts';

type Listener = (event: { elementType: 'payment' }) => void;

/** The stand-in of the provider's payment element, as far as react-stripe-js uses it. */
export class CardElement {
  readonly fields: CardFields;
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(words: Words, look: Look) {
    this.fields = makeCardFields(words, () => this.emit('change'));
    this.applyLook(look);
  }

  mount(place: string | HTMLElement): void {
    const found = typeof place === 'string' ? document.querySelector(place) : place;
    found?.replaceChildren(this.fields.host);
    // The provider's is ready later, too, when listeners are attached.
    setTimeout(() => this.emit('ready'), 0);
  }

  unmount(): void {
    this.fields.host.remove();
  }

  destroy(): void {
    this.unmount();
    this.listeners.clear();
  }

  on(event: string, listener: Listener): this {
    const known = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, known.add(listener));
    return this;
  }

  off(event: string, listener: Listener): this {
    this.listeners.get(event)?.delete(listener);
    return this;
  }

  update(): void {}

  focus(): void {
    this.fields.focus();
  }

  applyLook(look: Look): void {
    applyLook(this.fields.host, look);
  }

  private emit(event: string): void {
    for (const listener of this.listeners.get(event) ?? []) listener({ elementType: 'payment' });
  }
}
