import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { LANGUAGES, type Language } from '../../identity/rules.ts';
import { toPlainName } from '../../mail/mail-text.ts';
import { queueNotice } from '../../mail/queue-notice.ts';
import { type MailSection, renderMail } from '../../mail/render-mail.ts';
import { findAdministrators } from '../../organizations/members/find-administrators.ts';
import { formatMoney } from '../invoices/invoice-words.ts';
import { findBillingTerms, isStorageBilled } from '../months/billing-terms.ts';
import { monthOf } from '../months/month-rules.ts';
import { sandboxNotes } from '../sandbox-notes.ts';
import type { LimitRow } from './find-limits.ts';
import type { AlertShare } from './limit-rules.ts';

interface Alert {
  name: string;
  share: number;
  spentCents: number;
  limitCents: number;
  isStopped: boolean;
  /** Whether it covers what is stored, which is billed even beyond it. */
  hasStorage: boolean;
  link: string;
  notesIn: (language: Language) => string[];
}

/** Tells the people who manage an organization that a share of a spending limit has been reached. */
export async function queueSpendingAlert(
  trx: Trx,
  app: App,
  limit: LimitRow,
  { share, spentCents }: { share: AlertShare; spentCents: number },
): Promise<void> {
  if (!app.config.mail) return;
  const terms = await findBillingTerms(trx, limit.mode);
  const alert: Alert = {
    name: toPlainName(await findName(trx, limit)),
    share,
    spentCents,
    limitCents: limit.amount_cents,
    isStopped: share >= 100 && limit.action === 'stop',
    hasStorage: limit.scope === 'organization' && isStorageBilled(terms, monthOf(app.clock.now())),
    link: `${app.config.publicUrl}/${limit.organization_id}/billing`,
    notesIn: (language) => sandboxNotes(app, language),
  };
  for (const { email, language } of await findAdministrators(trx, limit.organization_id)) {
    const languages = language === null ? LANGUAGES : [language];
    const first = languages[0] ?? 'en-CA';
    const message = renderMail(
      app,
      `${subjectIn(first, alert)} · ${app.config.productName}`,
      languages.map((each) => sectionIn(each, alert)),
    );
    const about = { resource_type: 'spending_limit', resource_id: limit.id };
    await queueNotice(trx, app, { recipient: email, message, ...about });
  }
}

async function findName(trx: Trx, { scope, resource_id }: LimitRow): Promise<string> {
  if (scope === 'organization') {
    const row = await trx
      .selectFrom('organizations')
      .select('name')
      .where('id', '=', resource_id)
      .executeTakeFirst();
    return row?.name ?? resource_id;
  }
  const row = await trx
    .selectFrom('resource_lifetimes')
    .select('name')
    .where('resource_id', '=', resource_id)
    .executeTakeFirst();
  return row?.name ?? resource_id;
}

function subjectIn(language: Language, { name, share, isStopped }: Alert): string {
  if (language === 'fr-CA') {
    return isStopped
      ? `${name} a atteint son plafond de dépenses\u00a0: diffusion interrompue`
      : `${name} a atteint ${share}\u00a0% de son plafond de dépenses`;
  }
  return isStopped
    ? `${name} has reached its spending limit and is no longer served`
    : `${name} has reached ${share}% of its spending limit`;
}

function sectionIn(language: Language, alert: Alert): MailSection {
  const spent = formatMoney(alert.spentCents, language);
  const limit = formatMoney(alert.limitCents, language);
  const { name, isStopped, hasStorage, link } = alert;
  const notes = alert.notesIn(language);
  if (language === 'fr-CA') {
    const billed = hasStorage
      ? 'Au-delà du plafond, seules les données stockées sont facturées, tant qu’elles le restent.'
      : 'Rien n’est facturé au-delà du plafond.';
    return {
      language,
      paragraphs: [
        `${name} a coûté ${spent} ce mois-ci; son plafond de dépenses est de ${limit}.`,
        isStopped
          ? `La diffusion est interrompue jusqu’à la fin du mois. ${billed} Relevez le plafond et elle reprend en moins d’une minute.`
          : 'Si c’est voulu, vous n’avez rien à faire.',
      ],
      action: { label: 'Voir les plafonds de dépenses', link },
      notes,
    };
  }
  const billed = hasStorage
    ? 'Beyond the limit, only what is stored is billed, as long as it is stored.'
    : 'Nothing beyond the limit is billed.';
  return {
    language,
    paragraphs: [
      `${name} has cost ${spent} this month; its spending limit is ${limit}.`,
      isStopped
        ? `It is not served until the end of the month. ${billed} Raise the limit and it is served again within a minute.`
        : 'If this is intended, you do not need to do anything.',
    ],
    action: { label: 'View spending limits', link },
    notes,
  };
}
