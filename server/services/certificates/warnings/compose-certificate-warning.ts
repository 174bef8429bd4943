import type { App } from '#server/context.ts';
import { LANGUAGES, type Language } from '../../identity/rules.ts';
import { type MailMessage, type MailSection, renderMail } from '../../mail/render-mail.ts';
import { formatDate } from '../../shared/date-rules.ts';
import type { CertificateProblem } from '../rules.ts';
import type { DnsFact } from '../schema.ts';
import type { WarningStage } from './warning-rules.ts';

export interface CertificateWarning {
  hostname: string;
  stage: WarningStage;
  validUntil: number;
  /** The name that a CAA record must contain for the issuer. */
  authority: string;
  /** The record in the way; null when the cause is not a record of the customer. */
  fact: DnsFact | null;
  /** Why the last attempt to renew failed. */
  failure: CertificateProblem | null;
  /** The endpoint's page. */
  link: string;
}

/** The result of the last attempt, when no record of the customer is to blame. */
const FAILURES: Record<CertificateProblem, Record<Language, string>> = {
  challenge_missing: {
    'en-CA': 'The challenge record was missing at the last attempt.',
    'fr-CA': 'L’enregistrement du défi manquait lors de la dernière tentative.',
  },
  challenge_invisible: {
    'en-CA': 'The answer to the challenge could not be seen from outside.',
    'fr-CA': 'La réponse au défi n’était pas visible de l’extérieur.',
  },
  caa_forbids: {
    'en-CA': 'A CAA record did not allow the certificate authority to issue certificates.',
    'fr-CA': 'Un enregistrement CAA n’autorisait pas l’autorité de certification à émettre de certificat.',
  },
  dns_unavailable: {
    'en-CA': 'The name servers of the domain did not answer.',
    'fr-CA': 'Les serveurs de noms du domaine n’ont pas répondu.',
  },
  authority_unavailable: {
    'en-CA': 'The certificate authority did not answer.',
    'fr-CA': 'L’autorité de certification n’a pas répondu.',
  },
  authority_limit: {
    'en-CA': 'The certificate authority is not accepting more requests for now.',
    'fr-CA': 'L’autorité de certification n’accepte plus de demandes pour l’instant.',
  },
  refused: {
    'en-CA': 'The certificate authority refused the request.',
    'fr-CA': 'L’autorité de certification a refusé la demande.',
  },
  certificate_wrong: {
    'en-CA': 'The certificate authority returned a certificate other than the one requested.',
    'fr-CA': 'L’autorité de certification a renvoyé un autre certificat que celui demandé.',
  },
};

/** Says what to set and by when, in the reader's language, or in both when it is unknown. */
export function composeCertificateWarning(
  app: App,
  language: Language | null,
  warning: CertificateWarning,
): MailMessage {
  const languages = language === null ? LANGUAGES : [language];
  const { hostname, stage } = warning;
  const { productName } = app.config;
  const subjects: Record<Language, string> = {
    'en-CA':
      stage === 'expired'
        ? `The certificate of ${hostname} has expired`
        : `The certificate of ${hostname} cannot be renewed`,
    'fr-CA':
      stage === 'expired'
        ? `Le certificat du nom d’hôte ${hostname} a expiré`
        : `Le certificat du nom d’hôte ${hostname} ne peut pas être renouvelé`,
  };
  const [first = 'en-CA'] = languages;
  const sections = languages.map((each) => (each === 'fr-CA' ? inFrench(warning) : inEnglish(warning)));
  return renderMail(app, `${subjects[first]} · ${productName}`, sections);
}

function inEnglish(warning: CertificateWarning): MailSection {
  const { hostname, stage, fact, link } = warning;
  const date = formatDate(warning.validUntil, 'en-CA');
  return {
    language: 'en-CA',
    paragraphs: [
      stage === 'expired'
        ? `The certificate of ${hostname} expired on ${date}. Visitors who come by https see a warning instead of the site.`
        : `The certificate of ${hostname} is valid until ${date}. It cannot currently be renewed: after that date, visitors who come by https see a warning instead of the site.`,
      ...(fact === null ? [causeOf(warning, 'en-CA', 'We will try again automatically.')] : []),
      ...(fact?.fact === 'challenge'
        ? [
            `This record is needed for every renewal and is missing or has changed. Add it again at your DNS provider${stage === 'expired' ? '' : `, before ${date}`}:`,
            recordOf(fact),
          ]
        : []),
      ...(fact?.fact === 'caa'
        ? [
            `The CAA records of ${fact.name} do not allow ${warning.authority} to issue certificates. Add this record at your DNS provider${stage === 'expired' ? '' : `, before ${date}`}:`,
            recordOf(fact),
          ]
        : []),
      ...(fact === null
        ? []
        : ['You do not need to do anything else: the certificate is then renewed automatically.']),
    ],
    action: { label: 'View endpoint', link },
    notes: [
      `If ${hostname} is no longer meant to be served here, delete the endpoint: these messages then stop.`,
    ],
  };
}

function inFrench(warning: CertificateWarning): MailSection {
  const { hostname, stage, fact, link } = warning;
  const date = formatDate(warning.validUntil, 'fr-CA');
  return {
    language: 'fr-CA',
    paragraphs: [
      stage === 'expired'
        ? `Le certificat du nom d’hôte ${hostname} a expiré le ${date}. Les personnes qui viennent par https voient un avertissement au lieu du site.`
        : `Le certificat du nom d’hôte ${hostname} est valide jusqu’au ${date}. Dans l’état actuel, il ne peut pas être renouvelé : après cette date, les personnes qui viennent par https verront un avertissement au lieu du site.`,
      ...(fact === null
        ? [causeOf(warning, 'fr-CA', 'De nouvelles tentatives auront lieu automatiquement.')]
        : []),
      ...(fact?.fact === 'challenge'
        ? [
            `Cet enregistrement est nécessaire à chaque renouvellement; il n’existe plus ou a changé. Rétablissez-le chez votre fournisseur DNS${stage === 'expired' ? '' : ` avant le ${date}`} :`,
            recordOf(fact),
          ]
        : []),
      ...(fact?.fact === 'caa'
        ? [
            `Les enregistrements CAA du nom ${fact.name} n’autorisent pas ${warning.authority} à émettre des certificats. Ajoutez cet enregistrement chez votre fournisseur DNS${stage === 'expired' ? '' : ` avant le ${date}`} :`,
            recordOf(fact),
          ]
        : []),
      ...(fact === null
        ? []
        : ['Il n’y a rien d’autre à faire : le certificat se renouvellera ensuite automatiquement.']),
    ],
    action: { label: 'Voir le point de terminaison', link },
    notes: [
      `Si ${hostname} ne doit plus être diffusé ici, supprimez le point de terminaison : ces messages cesseront.`,
    ],
  };
}

function causeOf({ failure }: CertificateWarning, language: Language, again: string): string {
  return failure === null ? again : `${FAILURES[failure][language]} ${again}`;
}

/** As in a zone file; any of the expected values is correct. */
function recordOf({ name, type, expected: [value = ''] }: DnsFact): string {
  return `${name}. ${type} ${value}${type === 'CNAME' ? '.' : ''}`;
}
