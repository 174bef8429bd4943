import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { LANGUAGES, type Language } from '../identity/rules.ts';
import { queueNotice } from '../mail/queue-notice.ts';
import { type MailSection, renderMail } from '../mail/render-mail.ts';
import { findAdministrators } from '../organizations/members/find-administrators.ts';
import { hostOf } from './create-webhook.ts';
import type { WebhookRow } from './queries.ts';

/** Emails the people who manage the organization that a webhook no longer receives events. */
export async function queuePauseNotice(
  trx: Trx,
  app: App,
  webhook: WebhookRow,
  isGone: boolean,
): Promise<void> {
  if (!app.config.mail) return;
  const host = hostOf(webhook.url);
  const link = `${app.config.publicUrl}/${webhook.organization_id}/webhooks/${webhook.id}`;
  for (const { email, language } of await findAdministrators(trx, webhook.organization_id)) {
    const languages = language === null ? LANGUAGES : [language];
    const subject = languages[0] === 'fr-CA' ? `Webhook en pause\u00a0: ${host}` : `Webhook paused: ${host}`;
    const message = renderMail(
      app,
      `${subject} · ${app.config.productName}`,
      languages.map((each) => sectionIn(each, host, isGone, link)),
    );
    await queueNotice(trx, app, {
      recipient: email,
      message,
      resource_type: 'webhook',
      resource_id: webhook.id,
    });
  }
}

function sectionIn(language: Language, host: string, isGone: boolean, link: string): MailSection {
  if (language === 'fr-CA') {
    return {
      language,
      paragraphs: [
        isGone
          ? `Le webhook vers ${host} a répondu qu’il n’existe plus (410). Il est en pause et ne reçoit plus rien.`
          : `Rien n’est arrivé au webhook vers ${host} depuis trois jours. Il est en pause et ne reçoit plus rien.`,
        'Le journal montre ce qui a échoué et pourquoi. Une fois le problème réglé, reprenez les envois et renvoyez ce qui manque.',
      ],
      action: { label: 'Voir le webhook', link },
    };
  }
  return {
    language,
    paragraphs: [
      isGone
        ? `The webhook to ${host} answered that it no longer exists (410). It is paused and no longer receives events.`
        : `Nothing has arrived at the webhook to ${host} for three days. It is paused and no longer receives events.`,
      'Its log shows what failed and why. Once the problem is fixed, resume it and redeliver what is missing.',
    ],
    action: { label: 'View webhook', link },
  };
}
