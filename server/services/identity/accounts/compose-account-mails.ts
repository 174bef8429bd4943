import type { App } from '#server/context.ts';
import { type MailMessage, renderMail } from '../../mail/render-mail.ts';
import type { Language } from '../rules.ts';

/** A link to choose a new password, for the reader of the address. */
export function composePasswordReset(
  app: App,
  language: Language,
  { email, link }: { email: string; link: string },
): MailMessage {
  const { productName } = app.config;
  return language === 'fr-CA'
    ? renderMail(app, `Choisissez un nouveau mot de passe · ${productName}`, [
        {
          language,
          paragraphs: [
            `Quelqu’un, probablement vous, a demandé un nouveau mot de passe pour le compte ${email} sur ${productName}.`,
          ],
          action: { label: 'Choisir un nouveau mot de passe', link },
          notes: [
            'Le lien fonctionne une seule fois, pendant une heure.',
            'Si vous n’avez rien demandé, ignorez ce message : rien ne change.',
          ],
        },
      ])
    : renderMail(app, `Choose a new password · ${productName}`, [
        {
          language,
          paragraphs: [
            `Someone, probably you, asked for a new password for the account ${email} on ${productName}.`,
          ],
          action: { label: 'Choose a new password', link },
          notes: [
            'The link works once, for one hour.',
            'If you did not ask for this, ignore this message: nothing changes.',
          ],
        },
      ]);
}

/** A link that proves that the account's owner reads the address. */
export function composeVerification(
  app: App,
  language: Language,
  { email, link }: { email: string; link: string },
): MailMessage {
  const { productName } = app.config;
  return language === 'fr-CA'
    ? renderMail(app, `Confirmez votre adresse courriel · ${productName}`, [
        {
          language,
          paragraphs: [
            `L’adresse ${email} a été donnée pour un compte sur ${productName}. Confirmez que c’est la vôtre.`,
          ],
          action: { label: 'Confirmer mon adresse', link },
          notes: [
            'Le lien fonctionne pendant 24 heures.',
            'Si vous n’avez pas de compte ici, ignorez ce message.',
          ],
        },
      ])
    : renderMail(app, `Confirm your email address · ${productName}`, [
        {
          language,
          paragraphs: [
            `The address ${email} was given for an account on ${productName}. Confirm that it is yours.`,
          ],
          action: { label: 'Confirm my address', link },
          notes: ['The link works for 24 hours.', 'If you have no account here, ignore this message.'],
        },
      ]);
}

/** Tells the owner, who may not have done it, that the password was changed. */
export function composePasswordChanged(
  app: App,
  language: Language,
  { email }: { email: string },
): MailMessage {
  const { productName, publicUrl } = app.config;
  const link = `${publicUrl}/identity/forgot-password`;
  return language === 'fr-CA'
    ? renderMail(app, `Votre mot de passe a été modifié · ${productName}`, [
        {
          language,
          paragraphs: [
            `Le mot de passe du compte ${email} sur ${productName} vient d’être modifié. Les autres sessions ont été fermées.`,
            'Si c’était vous, il n’y a rien à faire. Sinon, choisissez tout de suite un nouveau mot de passe.',
          ],
          action: { label: 'Ce n’était pas moi', link },
        },
      ])
    : renderMail(app, `Your password was changed · ${productName}`, [
        {
          language,
          paragraphs: [
            `The password of the account ${email} on ${productName} has just been changed. Other sessions were signed out.`,
            'If that was you, you do not need to do anything. If not, choose a new password right away.',
          ],
          action: { label: 'That was not me', link },
        },
      ]);
}

/** Tells the old address that the account now has another one. */
export function composeEmailChanged(app: App, language: Language, { email }: { email: string }): MailMessage {
  const { productName } = app.config;
  return language === 'fr-CA'
    ? renderMail(app, `Votre adresse courriel a été modifiée · ${productName}`, [
        {
          language,
          paragraphs: [
            `Le compte ${email} sur ${productName} a maintenant une autre adresse courriel. Ce message est le dernier envoyé à celle-ci.`,
            'Si ce n’était pas vous, écrivez sans tarder à l’exploitant de cette installation.',
          ],
        },
      ])
    : renderMail(app, `Your email address was changed · ${productName}`, [
        {
          language,
          paragraphs: [
            `The account ${email} on ${productName} now has another email address. This is the last message to this address.`,
            'If that was not you, tell the operator of this installation right away.',
          ],
        },
      ]);
}
