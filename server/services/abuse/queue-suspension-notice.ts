import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { LANGUAGES, type Language } from '../identity/rules.ts';
import { toPlainName } from '../mail/mail-text.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { type MailSection, renderMail } from '../mail/render-mail.ts';
import { findAdministrators } from '../organizations/members/find-administrators.ts';

/** What was suspended, and why. */
interface Suspended {
  organization_id: string;
  site_id: string;
  /** Of the site. */
  name: string;
  reason: string;
  /** The number of the version; undefined when the whole site is suspended. */
  number: number | undefined;
}

/**
 * Emails the people who manage the organization that a site of theirs, or a version of it, is no longer
 * served.
 */
export async function queueSuspensionNotice(trx: Trx, app: App, suspended: Suspended): Promise<void> {
  if (!app.config.mail) return;
  const { organization_id, site_id } = suspended;
  const name = toPlainName(suspended.name);
  const link = `${app.config.publicUrl}/${organization_id}/sites/${site_id}`;
  for (const { email, language } of await findAdministrators(trx, organization_id)) {
    const languages = language === null ? LANGUAGES : [language];
    const subject = languages[0] === 'fr-CA' ? `Site suspendu\u00a0: ${name}` : `Site suspended: ${name}`;
    const message = renderMail(
      app,
      `${subject} · ${app.config.productName}`,
      languages.map((each) => sectionIn(each, name, suspended, link)),
    );
    await queueMail(trx, app, { recipient: email, message, resource_type: 'site', resource_id: site_id });
  }
}

function sectionIn(
  language: Language,
  name: string,
  { reason, number }: Suspended,
  link: string,
): MailSection {
  if (language === 'fr-CA') {
    return {
      language,
      paragraphs: [
        number === undefined
          ? `Le site «\u00a0${name}\u00a0» a été suspendu\u00a0: il n’est plus diffusé, ni à son adresse ni à ses noms d’hôte.`
          : `La version ${number} du site «\u00a0${name}\u00a0» a été suspendue\u00a0: elle n’est plus diffusée et ne peut plus être publiée.`,
        `Motif\u00a0: ${reason}`,
        number === undefined
          ? 'Rien n’est perdu. Pour la suite, écrivez à votre hébergeur.'
          : 'Rien n’est perdu. Publiez une autre version, ou écrivez à votre hébergeur.',
      ],
      action: { label: 'Voir le site', link },
    };
  }
  return {
    language,
    paragraphs: [
      number === undefined
        ? `The site “${name}” has been suspended: it is no longer served, neither at its address nor at its hostnames.`
        : `Version ${number} of the site “${name}” has been suspended: it is no longer served and cannot be published.`,
      `Reason: ${reason}`,
      number === undefined
        ? 'Nothing is lost. Contact your hosting provider for the next steps.'
        : 'Nothing is lost. Publish another version, or contact your hosting provider.',
    ],
    action: { label: 'View site', link },
  };
}
