import { ConfigError } from './config-error.ts';

/** Who may register on this installation; meeting one of the rules is enough. */
export interface Registration {
  isOpen: boolean;
  /** Anyone who follows the link of an invitation to an organization. */
  isByInvitation: boolean;
  /** Domains of email addresses, in lower case; the address has to be verified. */
  domains: readonly string[];
  /** Groups or organizations at the issuer. */
  groups: readonly string[];
}

/** The environment variables that decide it. */
export interface RegistrationEnvironment {
  REGISTRATION?: readonly string[] | undefined;
  OIDC_ISSUER?: string | undefined;
  MAIL_URL?: string | undefined;
}

const CLOSED: Registration = { isOpen: false, isByInvitation: false, domains: [], groups: [] };
const OPEN: Registration = { ...CLOSED, isOpen: true };
const EXPECTED = 'it must be open, closed, or a list of invitation, domain:example.ca and group:NAME';
const DOMAIN = /^(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,10}$/;

/**
 * Returns who may register. Without the setting, an external issuer decides alone, and local accounts can be
 * created only from this machine: a console that others can reach is closed until its operator says
 * otherwise.
 * @throws ConfigError naming REGISTRATION
 */
export function readRegistration(env: RegistrationEnvironment, publicUrl: string): Registration {
  const words = env.REGISTRATION ?? [];
  if (words.length === 0) return env.OIDC_ISSUER || isThisMachine(publicUrl) ? OPEN : CLOSED;
  if (words.includes('open') || words.includes('closed')) {
    if (words.length > 1) throw refuse(EXPECTED);
    return words[0] === 'open' ? OPEN : CLOSED;
  }
  const domains = valuesOf(words, 'domain:').map((domain) => domain.toLowerCase());
  const groups = valuesOf(words, 'group:');
  const isByInvitation = words.includes('invitation');
  const known = domains.length + groups.length + words.filter((word) => word === 'invitation').length;
  if (known < words.length || groups.includes('') || !domains.every((domain) => DOMAIN.test(domain))) {
    throw refuse(EXPECTED);
  }
  if (groups.length > 0 && !env.OIDC_ISSUER) {
    throw refuse('groups are known only where OIDC_ISSUER is set');
  }
  if (domains.length > 0 && !env.OIDC_ISSUER && !env.MAIL_URL) {
    throw refuse('domains need MAIL_URL, because addresses are proven by a link that is sent to them');
  }
  return { isOpen: false, isByInvitation, domains, groups };
}

/** Whether an email address is at one of the domains. */
export function isAtDomain(email: string, domains: readonly string[]): boolean {
  return domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
}

function valuesOf(words: readonly string[], prefix: string): string[] {
  return words.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length).trim());
}

function isThisMachine(publicUrl: string): boolean {
  const { hostname } = new URL(publicUrl);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    /^127\./.test(hostname) ||
    hostname === '[::1]'
  );
}

function refuse(reason: string): ConfigError {
  return new ConfigError(`REGISTRATION cannot be used: ${reason}.`);
}
