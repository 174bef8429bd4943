import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser';
import type { ErrorCode } from '#server/error-codes.ts';
import { apiErrorOf } from '../../../i18n/errors/api-error-of.ts';
import { loadErrorWords } from '../../../i18n/errors/error-words.ts';
import type { ApiError } from '../../../i18n/errors/read-error.ts';

/** WebAuthn options as the server sends them; the browser validates them. */
type Options = Record<string, unknown>;

/** The same in the words of the browser's own types. */
type RequestOptions = Parameters<typeof PublicKeyCredential.parseRequestOptionsFromJSON>[0];

/** Errors when a person cancels; nothing went wrong. */
const TURNED_AWAY: ReadonlySet<string> = new Set(['NotAllowedError', 'AbortError']);

/**
 * Has the browser create a passkey; null when the person cancelled.
 * @throws ApiError with passkey_known or passkey_refused, as the server would report what the browser does
 * not notice
 */
export async function makePasskey(options: Options): Promise<RegistrationResponseJSON | null> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  return startRegistration({ optionsJSON }).catch(async (error: unknown) => {
    if (nameOf(error) === 'InvalidStateError') throw await refusal('passkey_known');
    return unlessTurnedAway(error);
  });
}

/**
 * Has the browser use a passkey in its own dialog; null when the person cancelled.
 * @throws ApiError with passkey_refused
 */
export async function askForPasskey(options: Options): Promise<AuthenticationResponseJSON | null> {
  stopSuggesting();
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  return startAuthentication({ optionsJSON }).catch(unlessTurnedAway);
}

/** Whether this browser suggests passkeys in the address field. */
export async function suggestsPasskeys(): Promise<boolean> {
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}

let stopSuggestion = () => {};

/**
 * Has the browser suggest passkeys in the address field; null when another request began, or when it cannot suggest any after all:
 * what failed without being asked for is no news, and the button says why when it is pressed.
 */
export async function suggestPasskeys(options: Options): Promise<AuthenticationResponseJSON | null> {
  stopSuggesting();
  // A browser that reads these options itself needs nothing of the library, which would be 3 KB of the sign-in page.
  const suggest = 'parseRequestOptionsFromJSON' in PublicKeyCredential ? suggestByItself : suggestByLibrary;
  return suggest(options).catch(() => null);
}

/** Ends what {@link suggestPasskeys} is still waiting for. */
export function stopSuggesting(): void {
  stopSuggestion();
  stopSuggestion = () => {};
}

async function suggestByItself(options: Options): Promise<AuthenticationResponseJSON> {
  const stopped = new AbortController();
  stopSuggestion = () => stopped.abort();
  const credential = await navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as RequestOptions),
    mediation: 'conditional',
    signal: stopped.signal,
  });
  // Safe: such options ask for nothing else.
  return (credential as PublicKeyCredential).toJSON() as AuthenticationResponseJSON;
}

async function suggestByLibrary(options: Options): Promise<AuthenticationResponseJSON> {
  const { startAuthentication, WebAuthnAbortService } = await import('@simplewebauthn/browser');
  stopSuggestion = () => WebAuthnAbortService.cancelCeremony();
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  return startAuthentication({ optionsJSON, useBrowserAutofill: true });
}

async function unlessTurnedAway(error: unknown): Promise<null> {
  if (TURNED_AWAY.has(nameOf(error))) return null;
  throw await refusal('passkey_refused');
}

async function refusal(code: ErrorCode): Promise<ApiError> {
  await loadErrorWords();
  return apiErrorOf({ code, message: '', params: {}, fields: [], request_id: null });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
