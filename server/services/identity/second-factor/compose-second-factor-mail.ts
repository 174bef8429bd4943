import type { App } from '#server/context.ts';
import { type MailMessage, renderMail } from '../../mail/render-mail.ts';
import type { Language } from '../rules.ts';

export type SecondFactorChange =
  | 'on'
  | 'off'
  | 'codes'
  | 'code_used'
  | 'reset'
  | 'passkey_added'
  | 'passkey_removed';

const WORDS: Record<Language, Record<SecondFactorChange, { subject: string; sentence: string }>> = {
  'en-CA': {
    on: {
      subject: 'Two-step sign-in is on',
      sentence: 'Signing in now requires a code from your app as well as your password.',
    },
    off: {
      subject: 'Two-step sign-in is off',
      sentence: 'Signing in now requires only your password.',
    },
    codes: {
      subject: 'You have new recovery codes',
      sentence: 'Ten new recovery codes were created. The old ones no longer work.',
    },
    code_used: {
      subject: 'A recovery code was used',
      sentence: 'Someone signed in with your password and one of your recovery codes.',
    },
    reset: {
      subject: 'Two-step sign-in was turned off',
      sentence: 'The operator of this installation has turned off two-step sign-in for your account.',
    },
    passkey_added: {
      subject: 'A passkey was added',
      sentence: 'You can now also sign in with a new passkey, without your password.',
    },
    passkey_removed: {
      subject: 'A passkey was removed',
      sentence: 'One of your passkeys can no longer be used to sign in.',
    },
  },
  'fr-CA': {
    on: {
      subject: 'La connexion en deux étapes est activée',
      sentence: 'Pour vous connecter, il faut maintenant un code de votre appli en plus du mot de passe.',
    },
    off: {
      subject: 'La connexion en deux étapes est désactivée',
      sentence: 'Pour vous connecter, le mot de passe suffit maintenant.',
    },
    codes: {
      subject: 'Vous avez de nouveaux codes de secours',
      sentence: 'Dix nouveaux codes de secours ont été créés. Les anciens ne fonctionnent plus.',
    },
    code_used: {
      subject: 'Un code de secours a été utilisé',
      sentence: 'Quelqu’un s’est connecté avec votre mot de passe et l’un de vos codes de secours.',
    },
    reset: {
      subject: 'La connexion en deux étapes a été désactivée',
      sentence: 'L’exploitant de cette installation a désactivé la connexion en deux étapes de votre compte.',
    },
    passkey_added: {
      subject: 'Une clé d’accès a été ajoutée',
      sentence:
        'Vous pouvez maintenant vous connecter aussi avec une nouvelle clé d’accès, sans mot de passe.',
    },
    passkey_removed: {
      subject: 'Une clé d’accès a été retirée',
      sentence: 'L’une de vos clés d’accès ne permet plus de se connecter.',
    },
  },
};

/** What to do, for a reader who wanted the change and for one who did not. */
function adviceIn(language: Language, change: SecondFactorChange): { text: string; action: string } {
  const isReset = change === 'reset';
  // A new password does not end a passkey, which signs in without one.
  const isAdded = change === 'passkey_added';
  if (language === 'fr-CA') {
    const next = isAdded
      ? ', puis retirez la clé d’accès de votre profil'
      : isReset
        ? ', puis réactivez la connexion en deux étapes dans votre profil'
        : '';
    return {
      text: `${isReset ? 'Si vous l’avez demandé' : 'Si c’était vous'}, il n’y a rien à faire. Sinon, choisissez tout de suite un nouveau mot de passe${next}.`,
      action: isReset ? 'Je ne l’ai pas demandé' : 'Ce n’était pas moi',
    };
  }
  const next = isAdded
    ? ', then remove the passkey from your profile'
    : isReset
      ? ', then turn two-step sign-in on again in your profile'
      : '';
  return {
    text: `If ${isReset ? 'you asked for it' : 'that was you'}, you do not need to do anything. If not, choose a new password right away${next}.`,
    action: isReset ? 'I did not ask for it' : 'That was not me',
  };
}

/** Tells the owner, who may not have done it, about a change to the ways to sign in besides the password. */
export function composeSecondFactorChanged(
  app: App,
  language: Language,
  { email, change }: { email: string; change: SecondFactorChange },
): MailMessage {
  const { productName, publicUrl } = app.config;
  const { subject, sentence } = WORDS[language][change];
  const { text, action } = adviceIn(language, change);
  const account = language === 'fr-CA' ? `Compte\u00a0: ${email} sur` : `Account: ${email} on`;
  return renderMail(app, `${subject} · ${productName}`, [
    {
      language,
      paragraphs: [sentence, `${account} ${productName}`, text],
      action: { label: action, link: `${publicUrl}/identity/forgot-password` },
    },
  ]);
}
