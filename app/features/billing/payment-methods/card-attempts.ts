import type { SetupIntentResult, StripeError } from '@stripe/stripe-js';
import type { Customer } from '#server/services/billing/schema.ts';
import { readError } from '../../../i18n/errors/read-error.ts';

/** What entering a card needs: the provider's form in the browser, and the server. */
export interface CardPorts {
  /** Validates what was typed; the form itself shows what is missing. */
  submit(): Promise<{ error?: Pick<StripeError, 'type' | 'message'> | undefined }>;
  /** Starts a setup and returns its client secret. */
  createSetup(): Promise<string>;
  confirm(clientSecret: string): Promise<SetupIntentResult>;
  retrieve(clientSecret: string): Promise<SetupIntentResult>;
  /** Has the server store the card of a confirmed setup. */
  keep(setupIntentId: string): Promise<Customer>;
}

export type CardOutcome =
  | { kind: 'added'; customer: Customer }
  /** Something is missing, as already shown next to its field. */
  | { kind: 'incomplete' }
  /** The provider refused, with its message if it had one. */
  | { kind: 'refused'; message: string | null }
  /** The setup was used up or has expired; the next attempt starts another one. */
  | { kind: 'expired' };

/** A setup that can no longer be confirmed, or does not exist. */
const SPENT_CODES: readonly (string | undefined)[] = ['setup_intent_unexpected_state', 'resource_missing'];

/**
 * The attempts of one card form. A setup is started with the first one and kept through declines. A card that
 * the provider has accepted is not asked for again when the response, or the server, was lost: the next attempt
 * continues from there.
 */
export class CardAttempts {
  private clientSecret: string | null = null;
  private confirmedId: string | null = null;

  /** Makes one attempt. @throws what the server or the network refused; everything that was typed stays */
  async run(ports: CardPorts): Promise<CardOutcome> {
    if (this.confirmedId === null) {
      const problem = await this.confirm(ports);
      if (problem) return problem;
    }
    return { kind: 'added', customer: await this.keep(ports) };
  }

  private async confirm(ports: CardPorts): Promise<CardOutcome | null> {
    const { error: missing } = await ports.submit();
    if (missing) return missing.type === 'validation_error' ? { kind: 'incomplete' } : refused(missing);
    this.clientSecret ??= await ports.createSetup();
    let { setupIntent, error } = await ports.confirm(this.clientSecret);
    if (error && SPENT_CODES.includes(error.code)) {
      // A lost response may have been a success.
      ({ setupIntent } = await ports.retrieve(this.clientSecret));
      if (setupIntent?.status !== 'succeeded') {
        this.clientSecret = null;
        return { kind: 'expired' };
      }
      error = undefined;
    }
    if (error) return refused(error);
    this.clientSecret = null;
    this.confirmedId = setupIntent?.id ?? null;
    return this.confirmedId === null ? { kind: 'refused', message: null } : null;
  }

  private async keep(ports: CardPorts): Promise<Customer> {
    try {
      const customer = await ports.keep(this.confirmedId ?? '');
      this.confirmedId = null;
      return customer;
    } catch (error) {
      const code = readError(error)?.code;
      // Whatever the browser was told, no card is confirmed at the provider: it has to be entered again.
      if (code === 'setup_not_found' || code === 'setup_incomplete') this.confirmedId = null;
      throw error;
    }
  }
}

function refused({ message }: Pick<StripeError, 'message'>): CardOutcome {
  return { kind: 'refused', message: message || null };
}
