import type { App } from '#server/context.ts';
import { formatDate } from '../shared/date-rules.ts';
import { toPlainName } from './mail-text.ts';
import { type MailMessage, renderMail } from './render-mail.ts';

export interface InvitationFacts {
  organizationName: string;
  /** The inviter's name as shown to people. */
  inviterName: string;
  link: string;
  expiresAt: number;
}

/** Returns an invitation in both languages: the recipient may have no account yet, and no known language. */
export function composeInvitation(app: App, facts: InvitationFacts): MailMessage {
  const { productName } = app.config;
  const organization = toPlainName(facts.organizationName);
  const inviter = toPlainName(facts.inviterName);
  const dateIn = (language: string) => formatDate(facts.expiresAt, language);
  // The same word in both languages.
  return renderMail(app, `Invitation · ${organization} · ${productName}`, [
    {
      language: 'en-CA',
      paragraphs: [`${inviter} invites you to ${organization} on ${productName}.`],
      action: { label: 'View invitation', link: facts.link },
      notes: [
        `The link works once, until ${dateIn('en-CA')}. If you did not expect this invitation, you can ignore it.`,
      ],
    },
    {
      language: 'fr-CA',
      paragraphs: [
        `${inviter} vous invite à vous joindre à l’organisation ${organization} sur ${productName}.`,
      ],
      action: { label: 'Voir l’invitation', link: facts.link },
      notes: [
        `Le lien fonctionne une seule fois, jusqu’au ${dateIn('fr-CA')}. Si vous n’attendiez pas cette invitation, ignorez-la.`,
      ],
    },
  ]);
}
