import type { App } from '#server/context.ts';
import { LANGUAGES, type Language } from '../identity/rules.ts';
import { type MailMessage, type MailSection, renderMail } from '../mail/render-mail.ts';

/**
 * Tells an organization that it has lost a hostname, in the reader's language, or in both when it is unknown.
 */
export function composeHostnameLost(
  app: App,
  language: Language | null,
  { hostname, link }: { hostname: string; link: string },
): MailMessage {
  const languages = language === null ? LANGUAGES : [language];
  const subjects: Record<Language, string> = {
    'en-CA': `The hostname ${hostname} went to another organization`,
    'fr-CA': `Le nom d’hôte ${hostname} est passé à une autre organisation`,
  };
  const sections: Record<Language, MailSection> = {
    'en-CA': {
      language: 'en-CA',
      paragraphs: [
        `Your endpoint at ${hostname} was removed: its DNS records do not show that the hostname is yours, and another organization has claimed it.`,
        'If you control the domain, add the endpoint again and create the DNS record shown there: the hostname is yours again right away.',
      ],
      action: { label: 'View endpoints', link },
    },
    'fr-CA': {
      language: 'fr-CA',
      paragraphs: [
        `Votre point de terminaison à ${hostname} a été supprimé\u00a0: ses enregistrements DNS ne montrent pas que ce nom d’hôte est le vôtre, et une autre organisation l’a revendiqué.`,
        'Si vous gérez le domaine, ajoutez de nouveau le point de terminaison et créez l’enregistrement qui s’affiche alors\u00a0: le nom d’hôte vous revient aussitôt.',
      ],
      action: { label: 'Voir vos points de terminaison', link },
    },
  };
  const [first = 'en-CA'] = languages;
  return renderMail(
    app,
    `${subjects[first]} · ${app.config.productName}`,
    languages.map((each) => sections[each]),
  );
}
