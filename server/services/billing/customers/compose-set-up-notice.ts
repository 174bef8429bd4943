import type { App } from '#server/context.ts';
import { LANGUAGES, type Language } from '../../identity/rules.ts';
import { toPlainName } from '../../mail/mail-text.ts';
import { type MailMessage, type MailSection, renderMail } from '../../mail/render-mail.ts';
import { formatDate } from '../../shared/date-rules.ts';

export interface SetUpNotice {
  organizationName: string;
  dueAt: number;
  link: string;
}

/**
 * Tells that billing begins, that nothing stops, and by when a card is required; in both languages when none
 * is known.
 */
export function composeSetUpNotice(app: App, language: Language | null, notice: SetUpNotice): MailMessage {
  const languages = language === null ? LANGUAGES : [language];
  const isSandbox = app.payments?.mode === 'sandbox';
  const organization = toPlainName(notice.organizationName);
  const subjects: Record<Language, string> = {
    'en-CA': `Set up billing for ${organization}`,
    'fr-CA': `Configurez la facturation pour ${organization}`,
  };
  const sections = languages.map((each): MailSection => {
    const date = formatDate(notice.dueAt, each);
    return each === 'fr-CA'
      ? {
          language: each,
          paragraphs: [
            `Ce que ${organization} utilise sur ${app.config.productName} est désormais facturé. Vos sites et points de terminaison continuent de fonctionner.`,
            `Ajoutez une personne-ressource et une carte de crédit d’ici le ${date}. Après cette date, il faudra une carte pour créer des sites et des points de terminaison.`,
          ],
          action: { label: 'Configurer la facturation', link: notice.link },
          notes: isSandbox
            ? [
                'C’est un bac à sable\u00a0: seules les cartes d’essai fonctionnent, et aucun argent ne circule.',
              ]
            : [],
        }
      : {
          language: each,
          paragraphs: [
            `Usage of ${app.config.productName} by ${organization} is billed from now on. Your sites and endpoints keep working.`,
            `Add a billing contact and a card by ${date}. After that date, you need a card to create sites and endpoints.`,
          ],
          action: { label: 'Set up billing', link: notice.link },
          notes: isSandbox ? ['This is a sandbox: only test cards work, and no money moves.'] : [],
        };
  });
  return renderMail(app, `${subjects[languages[0] ?? 'en-CA']} · ${app.config.productName}`, sections);
}
