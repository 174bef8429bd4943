import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser';
import type { ErrorCode } from '#server/error-codes.ts';
import { apiErrorOf } from '../../i18n/api-error-of.ts';
import { loadErrorWords } from '../../i18n/error-words.ts';
import type { ApiError } from '../../i18n/read-error.ts';

/** WebAuthn options as the server sends them; the browser validates them. */
type Options = Record<string, unknown>;

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
 * Has the browser use a passkey, in its own dialog or, with `isAutofill`, among its suggestions for the
 * address; null when the person cancelled, a newer request began, or the browser cannot suggest any after all.
 * @throws ApiError with passkey_refused, after its own dialog only
 */
export async function askForPasskey(
  options: Options,
  { isAutofill }: { isAutofill: boolean },
): Promise<AuthenticationResponseJSON | null> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  // What failed without being asked for is no news: the button says why when it is pressed.
  const onFailure = isAutofill ? () => null : unlessTurnedAway;
  return startAuthentication({ optionsJSON, useBrowserAutofill: isAutofill }).catch(onFailure);
}

/** Whether this browser suggests passkeys in the address field. */
export async function suggestsPasskeys(): Promise<boolean> {
  const { browserSupportsWebAuthnAutofill } = await import('@simplewebauthn/browser');
  return browserSupportsWebAuthnAutofill();
}

/** Ends what {@link askForPasskey} is still waiting for. */
export async function stopAsking(): Promise<void> {
  const { WebAuthnAbortService } = await import('@simplewebauthn/browser');
  WebAuthnAbortService.cancelCeremony();
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
