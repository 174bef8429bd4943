/**
 * The texts of the stand-in. They are not in the catalogs, because it is a separate script, like the
 * provider's.
 */
const ENGLISH = {
  language: 'en',
  sandbox: 'Sandbox: no money moves',
  onlyTestCards: 'Only test cards work here.',
  fill: 'Fill in a test card',
  number: 'Card number',
  expiry: 'Expiration date',
  expiryHint: 'MM / YY',
  code: 'Security code',
  codeHint: 'CVC',
  authenticationTitle: 'Authentication',
  authenticationText: 'Here the bank of a real card asks whether it is really you.',
  complete: 'Complete authentication',
  refuse: 'Refuse',
  problems: {
    incomplete_number: 'Your card number is incomplete.',
    invalid_number: 'Your card number is invalid.',
    incomplete_expiry: 'Your card’s expiration date is incomplete.',
    invalid_expiry_month: 'Your card’s expiration date is invalid.',
    invalid_expiry_year: 'Your card’s expiration date is in the past.',
    incomplete_cvc: 'Your card’s security code is incomplete.',
    incorrect_number: 'Only test cards work here, for example 4242 4242 4242 4242.',
    card_declined: 'Your card was declined.',
    setup_intent_authentication_failure:
      'We are unable to authenticate your payment method. Try again, or use a different card.',
  },
};

export type Words = typeof ENGLISH;
export type Problem = keyof Words['problems'];

const FRENCH: Words = {
  language: 'fr',
  sandbox: 'Bac à sable\u00a0: aucun argent ne circule',
  onlyTestCards: 'Seules les cartes d’essai fonctionnent ici.',
  fill: 'Inscrire une carte d’essai',
  number: 'Numéro de carte',
  expiry: 'Date d’expiration',
  expiryHint: 'MM / AA',
  code: 'Code de sécurité',
  codeHint: 'CVC',
  authenticationTitle: 'Authentification',
  authenticationText: 'Ici, la banque d’une vraie carte demande si c’est bien vous.',
  complete: 'Terminer l’authentification',
  refuse: 'Refuser',
  problems: {
    incomplete_number: 'Votre numéro de carte est incomplet.',
    invalid_number: 'Votre numéro de carte n’est pas valide.',
    incomplete_expiry: 'La date d’expiration de votre carte est incomplète.',
    invalid_expiry_month: 'La date d’expiration de votre carte n’est pas valide.',
    invalid_expiry_year: 'La date d’expiration de votre carte est passée.',
    incomplete_cvc: 'Le code de sécurité de votre carte est incomplet.',
    incorrect_number: 'Seules les cartes d’essai fonctionnent ici, par exemple 4242 4242 4242 4242.',
    card_declined: 'Votre carte a été refusée.',
    setup_intent_authentication_failure:
      'Nous ne parvenons pas à authentifier votre mode de paiement. Réessayez, ou utilisez une autre carte.',
  },
};

/** Returns the texts for a language tag such as `fr-CA`. */
export function wordsFor(locale: string | undefined): Words {
  return locale?.startsWith('fr') ? FRENCH : ENGLISH;
}

/** Returns the meaning of a sandbox code in the language of the page; for any other, its own message. */
export function describeProblem(words: Words, code: string | undefined, said: string | undefined) {
  const known = Object.entries(words.problems).find(([name]) => name === code);
  return known ? known[1] : said;
}
