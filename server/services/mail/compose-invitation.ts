import type { App } from '#server/context.ts';
import type { MailMessage } from './queue-mail.ts';

export interface InvitationWords {
  organizationName: string;
  /** The inviter's name as people know it. */
  inviterName: string;
  link: string;
  expiresAt: number;
}

/** Returns an invitation in both languages: whoever is invited may have no account yet, and no language that we know. */
export function composeInvitation(app: App, words: InvitationWords): MailMessage {
  const { productName } = app.config;
  const { organizationName, inviterName, link } = words;
  const dateIn = (language: string) =>
    new Date(words.expiresAt).toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' });
  return {
    subject: `${organizationName} · ${productName}`,
    text: [
      `${inviterName} invites you to ${organizationName} on ${productName}.`,
      `The link works once, until ${dateIn('en-CA')}.`,
      '',
      `${inviterName} vous invite à rejoindre ${organizationName} sur ${productName}.`,
      `Le lien fonctionne une seule fois, jusqu’au ${dateIn('fr-CA')}.`,
      '',
      link,
    ].join('\n'),
  };
}
