import { z } from 'zod';
import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { isLanguage, LANGUAGES, type Language } from '../identity/rules.ts';
import { toPlainName } from '../mail/mail-text.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { type MailSection, renderMail } from '../mail/render-mail.ts';

const emailSchema = z.email().max(254);

/**
 * Emails the operators of the console that a report is waiting. Of the stranger's text, the message contains
 * only the hostname, and not as a link.
 */
export async function queueReportNotice(
  trx: Trx,
  app: App,
  report: { id: string; address: string },
): Promise<void> {
  if (!app.config.mail) return;
  const operators = await trx
    .selectFrom('users')
    .select(['email', 'language_preference'])
    .where('operator_access', 'is not', null)
    .where('blocked_at', 'is', null)
    .execute();
  const host = toPlainName(new URL(report.address).hostname);
  const link = `${app.config.publicUrl}/operator?view=abuse&state=open`;
  for (const { email, language_preference } of operators) {
    if (!emailSchema.safeParse(email).success) continue;
    const languages = isLanguage(language_preference) ? [language_preference] : LANGUAGES;
    const subject = languages[0] === 'fr-CA' ? `Abus signalé\u00a0: ${host}` : `Abuse reported: ${host}`;
    const message = renderMail(
      app,
      `${subject} · ${app.config.productName}`,
      languages.map((language) => sectionIn(language, host, link)),
    );
    await queueMail(trx, app, {
      recipient: email,
      message,
      resource_type: 'report',
      resource_id: report.id,
    });
  }
}

function sectionIn(language: Language, host: string, link: string): MailSection {
  if (language === 'fr-CA') {
    return {
      language,
      paragraphs: [
        `Un abus a été signalé à l’adresse ${host}.`,
        'Tant que ce signalement est en attente, aucun courriel n’est envoyé pour les suivants.',
      ],
      action: { label: 'Voir les signalements', link },
    };
  }
  return {
    language,
    paragraphs: [
      `Abuse was reported at ${host}.`,
      'While this report is open, no email is sent for further reports.',
    ],
    action: { label: 'View reports', link },
  };
}
