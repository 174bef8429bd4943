import type { App } from '#server/context.ts';
import { LANGUAGES, type Language } from '../../identity/rules.ts';
import { toPlainName } from '../../mail/mail-text.ts';
import { type MailMessage, type MailSection, renderMail } from '../../mail/render-mail.ts';
import type { BillingMonth } from '../months/month-rules.ts';
import type { PaymentProblem } from '../payments/dunning-rules.ts';
import { sandboxNotes } from '../sandbox-notes.ts';
import type { InvoiceAccess } from './invoice-access.ts';
import { formatMoney, formatMonthName } from './invoice-words.ts';

export interface InvoiceMail {
  organizationName: string;
  month: BillingMonth;
  number: string | null;
  amountCents: number;
  isPaid: boolean;
  access: InvoiceAccess;
  /** Where the invoice is shown and paid: its page, which asks for a sign-in first, or the link that opens it alone. */
  invoiceLink: string;
  billingLink: string;
}

/** Tells what a month cost and where every line can be examined; in both languages when none is known. */
export function composeInvoiceMail(app: App, language: Language | null, mail: InvoiceMail): MailMessage {
  return composeToView(app, language, mail, {
    'en-CA': ({ amount, month, organization }) => ({
      subject: `Invoice for ${month}: ${amount}`,
      paragraphs: [
        `The ${month} invoice for ${organization} is ${amount}.`,
        mail.isPaid
          ? 'Nothing is charged for it now.'
          : 'It will be charged to the organization’s card; you do not need to do anything.',
        ...(mail.access === 'link_after_deletion' ? [DELETED['en-CA'].gone] : []),
      ],
    }),
    'fr-CA': ({ amount, month, organization }) => ({
      subject: `Facture pour ${month}\u00a0: ${amount}`,
      paragraphs: [
        `La facture pour ${month} adressée à ${organization} s’élève à ${amount}.`,
        mail.isPaid
          ? 'Aucun montant n’est prélevé pour l’instant.'
          : 'Le montant sera porté à la carte de l’organisation; vous n’avez rien à faire.',
        ...(mail.access === 'link_after_deletion' ? [DELETED['fr-CA'].gone] : []),
      ],
    }),
  });
}

/** About invoices of an organization that no longer exists. */
const DELETED: Record<Language, { gone: string; pay: string }> = {
  'en-CA': {
    gone: 'The organization was deleted.',
    pay: 'The organization was deleted, so its card can no longer be changed. Open the invoice and pay it there.',
  },
  'fr-CA': {
    gone: 'L’organisation a été supprimée.',
    pay: 'L’organisation a été supprimée\u00a0: sa carte ne peut plus être changée. Ouvrez la facture et payez-la vous-même.',
  },
};

const PROBLEMS: Record<PaymentProblem, Record<Language, string>> = {
  declined: {
    'en-CA': 'The organization’s card was declined. Add another card, or pay the invoice yourself.',
    'fr-CA':
      'La carte de l’organisation a été refusée. Ajoutez une autre carte ou payez la facture vous-même.',
  },
  authentication: {
    'en-CA': 'The bank requires that this payment be confirmed. Open the invoice and pay it there.',
    'fr-CA': 'La banque exige que ce paiement soit confirmé. Ouvrez la facture et payez-la vous-même.',
  },
  failed: {
    'en-CA': 'The payment did not go through. We will try again; you can also pay the invoice yourself.',
    'fr-CA':
      'Le paiement n’a pas abouti. Il sera tenté de nouveau; vous pouvez aussi payer la facture vous-même.',
  },
  no_payment_method: {
    'en-CA': 'There is no card to charge. Add one and the invoice will be charged right away.',
    'fr-CA':
      'Aucune carte ne peut être débitée. Ajoutez-en une\u00a0: la facture sera alors réglée aussitôt.',
  },
};

/** What helps a billing contact who cannot sign in: only an owner can add a card. */
const PROBLEMS_OF_CONTACT: Partial<typeof PROBLEMS> = {
  declined: {
    'en-CA':
      'The card was declined. Pay the invoice yourself, or ask an owner of the organization to add another card.',
    'fr-CA':
      'La carte a été refusée. Payez la facture vous-même ou demandez à une personne propriétaire de l’organisation d’ajouter une autre carte.',
  },
  no_payment_method: {
    'en-CA':
      'There is no card to charge. Pay the invoice yourself, or ask an owner of the organization to add a card.',
    'fr-CA':
      'Aucune carte ne peut être débitée. Payez la facture vous-même ou demandez à une personne propriétaire de l’organisation d’ajouter une carte.',
  },
};

/** Returns what helps the recipient. */
function helpIn(language: Language, problem: PaymentProblem, access: InvoiceAccess): string {
  if (access === 'link_after_deletion') return DELETED[language].pay;
  const own = access === 'link' ? PROBLEMS_OF_CONTACT[problem] : undefined;
  return (own ?? PROBLEMS[problem])[language];
}

/** Tells that an invoice could not be charged, why, and what helps. */
export function composePaymentProblem(
  app: App,
  language: Language | null,
  problem: PaymentProblem,
  mail: InvoiceMail,
): MailMessage {
  const organization = toPlainName(mail.organizationName);
  const isCardMissing = problem === 'no_payment_method' && mail.access === 'page';
  return compose(app, language, mail, {
    'en-CA': (amount, month) => ({
      subject: `The invoice for ${month} could not be charged`,
      paragraphs: [
        `The ${month} invoice for ${organization} (${amount}) could not be charged.`,
        helpIn('en-CA', problem, mail.access),
      ],
      action: isCardMissing
        ? { label: 'Add card', link: mail.billingLink }
        : { label: 'Pay invoice', link: mail.invoiceLink },
    }),
    'fr-CA': (amount, month) => ({
      subject: `La facture pour ${month} n’a pas pu être réglée`,
      paragraphs: [
        `La facture pour ${month} adressée à ${organization} (${amount}) n’a pas pu être réglée.`,
        helpIn('fr-CA', problem, mail.access),
      ],
      action: isCardMissing
        ? { label: 'Ajouter une carte', link: mail.billingLink }
        : { label: 'Payer la facture', link: mail.invoiceLink },
    }),
  });
}

/** What was given back of an invoice, and why; the reason of a refund at the provider is unknown. */
interface GivenBack {
  cents: number;
  reasons: Record<Language, string> | null;
}

const REASON: Record<Language, string> = { 'en-CA': 'Reason: ', 'fr-CA': 'Motif\u00a0: ' };

/** An operator types it, so no link in it may look like one of ours. */
function reasonIn(language: Language, { reasons }: GivenBack): string[] {
  return reasons === null ? [] : [REASON[language] + toPlainName(reasons[language])];
}

/** Tells that a part of an invoice was credited, and what becomes of it. */
export function composeCreditMail(
  app: App,
  language: Language | null,
  credited: GivenBack,
  mail: InvoiceMail,
): MailMessage {
  return composeToView(
    app,
    language,
    { ...mail, amountCents: credited.cents },
    {
      'en-CA': ({ amount, month, organization }) => ({
        subject: `Credit of ${amount} for ${month}`,
        paragraphs: [
          `We have credited ${amount} of the ${month} invoice for ${organization}.`,
          mail.isPaid
            ? 'What was already paid of it is taken off your next invoice.'
            : 'That much less is due; you do not need to do anything.',
          ...reasonIn('en-CA', credited),
        ],
      }),
      'fr-CA': ({ amount, month, organization }) => ({
        subject: `Crédit de ${amount} pour ${month}`,
        paragraphs: [
          `Nous vous avons accordé un crédit de ${amount} sur la facture pour ${month} adressée à ${organization}.`,
          mail.isPaid
            ? 'Ce qui en a déjà été payé sera déduit de votre prochaine facture.'
            : 'Le montant à payer diminue d’autant; vous n’avez rien à faire.',
          ...reasonIn('fr-CA', credited),
        ],
      }),
    },
  );
}

/** Tells that money was given back for an invoice. */
export function composeRefundMail(
  app: App,
  language: Language | null,
  refunded: GivenBack,
  mail: InvoiceMail,
): MailMessage {
  return composeToView(
    app,
    language,
    { ...mail, amountCents: refunded.cents },
    {
      'en-CA': ({ amount, month, organization }) => ({
        subject: `Refund of ${amount} for ${month}`,
        paragraphs: [
          `We have refunded ${amount} of the ${month} invoice for ${organization} to the card that paid it.`,
          'It can take a few days for your bank to show it.',
          ...reasonIn('en-CA', refunded),
        ],
      }),
      'fr-CA': ({ amount, month, organization }) => ({
        subject: `Remboursement de ${amount} pour ${month}`,
        paragraphs: [
          `Nous avons remboursé ${amount} sur la carte qui a réglé la facture pour ${month} adressée à ${organization}.`,
          'Il peut s’écouler quelques jours avant que votre banque l’affiche.',
          ...reasonIn('fr-CA', refunded),
        ],
      }),
    },
  );
}

/** Says that the bank of the card did not take a refund, so that nobody waits for it. */
export function composeRejectedRefundMail(
  app: App,
  language: Language | null,
  cents: number,
  mail: InvoiceMail,
): MailMessage {
  return composeToView(
    app,
    language,
    { ...mail, amountCents: cents },
    {
      'en-CA': ({ amount, month, organization }) => ({
        subject: `Your bank rejected the refund of ${amount} for ${month}`,
        paragraphs: [
          `We refunded ${amount} of the ${month} invoice for ${organization}, but the bank of the card that paid it has rejected the refund.`,
          'We still owe you this amount and will give it back another way.',
        ],
      }),
      'fr-CA': ({ amount, month, organization }) => ({
        subject: `Votre banque a refusé le remboursement de ${amount} pour ${month}`,
        paragraphs: [
          `Nous avons remboursé ${amount} de la facture pour ${month} adressée à ${organization}, mais la banque de la carte qui l’a réglée a refusé le remboursement.`,
          'Nous vous devons toujours ce montant et vous le rembourserons d’une autre façon.',
        ],
      }),
    },
  );
}

const VIEW: Record<Language, string> = { 'en-CA': 'View invoice', 'fr-CA': 'Voir la facture' };

/** Composes a message that leads to the invoice. */
function composeToView(
  app: App,
  language: Language | null,
  mail: InvoiceMail,
  words: Record<
    Language,
    (said: { amount: string; month: string; organization: string }) => Omit<Words, 'action'>
  >,
): MailMessage {
  const organization = toPlainName(mail.organizationName);
  const wordsIn = (each: Language) => (amount: string, month: string) => ({
    ...words[each]({ amount, month, organization }),
    action: { label: VIEW[each], link: mail.invoiceLink },
  });
  return compose(app, language, mail, { 'en-CA': wordsIn('en-CA'), 'fr-CA': wordsIn('fr-CA') });
}

const LINK: Record<Language, string> = {
  'en-CA': 'This link opens the invoice without signing in, for 90 days and for whoever has it.',
  'fr-CA': 'Ce lien ouvre la facture sans connexion, pendant 90\u00a0jours et pour quiconque le possède.',
};

interface Words {
  subject: string;
  paragraphs: string[];
  action: { label: string; link: string };
}

function compose(
  app: App,
  language: Language | null,
  { amountCents, month, access }: InvoiceMail,
  words: Record<Language, (amount: string, month: string) => Words>,
): MailMessage {
  const languages = language === null ? LANGUAGES : [language];
  const said = languages.map((each) => ({
    language: each,
    words: words[each](formatMoney(amountCents, each), formatMonthName(month, each)),
  }));
  const sections = said.map(
    ({ language: each, words: { paragraphs, action } }): MailSection => ({
      language: each,
      paragraphs,
      action,
      notes: [...(access === 'page' ? [] : [LINK[each]]), ...sandboxNotes(app, each)],
    }),
  );
  return renderMail(app, `${said[0]?.words.subject ?? ''} · ${app.config.productName}`, sections);
}
