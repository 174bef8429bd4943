import { CardElement } from './card-element.ts';
import type { Look } from './style-sheet.ts';
import { type Words, wordsFor } from './words.ts';

/** The provider's options that the stand-in supports. */
export interface GroupOptions {
  locale?: string;
  appearance?: { variables?: Look; rules?: { '.Input'?: Look } };
}

/** The stand-in of the provider's elements: a language, a look and one payment element. */
export class ElementsGroup {
  look: Look;
  private locale: string | undefined;
  private element: CardElement | null = null;

  constructor(options: GroupOptions = {}) {
    this.locale = options.locale;
    this.look = lookOf(options.appearance);
  }

  get words(): Words {
    return wordsFor(this.locale);
  }

  get card(): CardElement {
    if (!this.element) throw new Error('the payment element is not mounted');
    return this.element;
  }

  create(type: string): CardElement {
    if (type !== 'payment') throw new Error(`the sandbox has no ${type} element`);
    this.element = new CardElement(this.words, this.look);
    return this.element;
  }

  getElement(type: string): CardElement | null {
    return type === 'payment' ? this.element : null;
  }

  update({ locale, appearance }: GroupOptions): void {
    this.locale = locale ?? this.locale;
    this.look = appearance ? lookOf(appearance) : this.look;
    this.element?.fields.setWords(this.words);
    this.element?.applyLook(this.look);
  }

  /** Validates what was typed, as the provider requires before a confirmation. */
  async submit() {
    const problem = this.card.fields.check();
    return problem
      ? { error: { type: 'validation_error' as const, ...problem } }
      : { selectedPaymentMethod: 'card' };
  }
}

function lookOf(appearance: GroupOptions['appearance']): Look {
  return { ...appearance?.variables, ...appearance?.rules?.['.Input'] };
}
