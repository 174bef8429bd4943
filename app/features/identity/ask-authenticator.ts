import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser';
import type { ErrorCode } from '#server/error-codes.ts';
import { ApiError } from '../../i18n/read-error.ts';

/** Options of WebAuthn as the server sends them; the browser checks what is in them. */
type Options = Record<string, unknown>;

/** What a person who turned away leaves behind; nothing went wrong. */
const TURNED_AWAY: ReadonlySet<string> = new Set(['NotAllowedError', 'AbortError']);

/**
 * Has the browser make a passkey; null when the person turned away.
 * @throws ApiError with passkey_known or passkey_refused, as the server says it when the browser does not notice
 */
export async function makePasskey(options: Options): Promise<RegistrationResponseJSON | null> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  return startRegistration({ optionsJSON }).catch((error: unknown) => {
    if (nameOf(error) === 'InvalidStateError') throw refusal('passkey_known');
    return unlessTurnedAway(error);
  });
}

/**
 * Has the browser use a passkey, in a dialog of its own or, with `isAutofill`, among what it suggests for the address; null
 * when the person turned away or something newer was begun.
 * @throws ApiError with passkey_refused
 */
export async function askForPasskey(
  options: Options,
  { isAutofill }: { isAutofill: boolean },
): Promise<AuthenticationResponseJSON | null> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  return startAuthentication({ optionsJSON, useBrowserAutofill: isAutofill }).catch(unlessTurnedAway);
}

/** Whether this browser suggests passkeys where an address is typed. */
export async function suggestsPasskeys(): Promise<boolean> {
  const { browserSupportsWebAuthnAutofill } = await import('@simplewebauthn/browser');
  return browserSupportsWebAuthnAutofill();
}

/** Ends what {@link askForPasskey} still waits for. */
export async function stopAsking(): Promise<void> {
  const { WebAuthnAbortService } = await import('@simplewebauthn/browser');
  WebAuthnAbortService.cancelCeremony();
}

function unlessTurnedAway(error: unknown): null {
  if (TURNED_AWAY.has(nameOf(error))) return null;
  throw refusal('passkey_refused');
}

function refusal(code: ErrorCode): ApiError {
  return new ApiError({ code, message: '', params: {}, fields: [], request_id: null });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
