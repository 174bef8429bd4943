import type { InteractionResults, Provider } from 'oidc-provider';
import { invitationTokenOf } from '../../auth/return-path.ts';
import { createSignInFlows } from '../../auth/sign-in-flow.ts';
import type { App } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { authenticateAccount } from '../../services/identity/accounts/authenticate-account.ts';
import { registerAccount } from '../../services/identity/accounts/register-account.ts';
import {
  beginPasskeySignIn,
  signInWithPasskey,
} from '../../services/identity/passkeys/sign-in-with-passkey.ts';
import {
  type Interaction,
  interactionSchema,
  passkeySignInInput,
  registerAccountInput,
  secondFactorCodeInput,
  signInAccountInput,
} from '../../services/identity/schema.ts';
import {
  beginSecondStep,
  finishSecondStep,
  halfSignInSchema,
} from '../../services/identity/second-factor/second-step.ts';
import { getRegistrationTerms } from '../../services/identity/sign-in/admit-newcomer.ts';
import { findKnownBrowser, rememberBrowser } from '../browser-cookie.ts';
import { isBegunHere } from '../provider/begun-interactions.ts';
import type { JsonEndpoint, JsonEndpointRequest } from './json-endpoint.ts';

type InteractionRequest = Pick<JsonEndpointRequest, 'request' | 'response' | 'uid'>;

/** @throws sign_in_expired for any browser but the one that started it, and when it has ended */
async function findInteraction(app: App, provider: Provider, { request, response, uid }: InteractionRequest) {
  if (!isBegunHere(app, request, uid)) throw new AppError('sign_in_expired');
  const interaction = await provider.interactionDetails(request, response).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'SessionNotFound') throw new AppError('sign_in_expired');
    throw error;
  });
  if (interaction.uid !== uid) throw new AppError('sign_in_expired');
  return interaction;
}

/**
 * Returns the invitation to which the console's sign-in returns: this browser keeps it under the state that
 * it sent.
 */
function findInvitationToken(app: App, { request }: InteractionRequest, params: Record<string, unknown>) {
  const flow = createSignInFlows(app).find(textOrNull(params.state), request.headers.cookie ?? null);
  return flow ? invitationTokenOf(flow.returnTo) : null;
}

/**
 * Returns the interaction that its page shows: whether the person came to register, and whether that is
 * possible.
 * @throws sign_in_expired
 */
export async function describeInteraction(
  app: App,
  provider: Provider,
  request: InteractionRequest,
): Promise<Interaction> {
  const { prompt, params } = await findInteraction(app, provider, request);
  const invitationToken = findInvitationToken(app, request, params);
  return interactionSchema.parse({
    registration: await getRegistrationTerms(app, invitationToken),
    prompt: prompt.name === 'create' ? 'create' : 'login',
    ui_locales: textOrNull(params.ui_locales),
    login_hint: textOrNull(params.login_hint),
  });
}

/** A request of an interaction's page, for the browser that started it. */
interface InteractionCall extends JsonEndpointRequest {
  provider: Provider;
  interaction: Awaited<ReturnType<typeof findInteraction>>;
}

/**
 * Returns the endpoints of the sign-in and registration pages: `details`, `sign-in`, `second-step`, `passkey`
 * and `register` of an interaction. Each is bound by the provider's cookie to the browser that started it;
 * for any other, and for one that has ended, the response is sign_in_expired.
 */
export function createInteractionEndpoints(app: App, provider: Provider): readonly JsonEndpoint[] {
  const post = (path: RegExp, answer: (call: InteractionCall) => Promise<object>): JsonEndpoint => ({
    method: 'POST',
    path,
    answer: async (request) =>
      answer({ ...request, provider, interaction: await findInteraction(app, provider, request) }),
  });
  return [
    {
      method: 'GET',
      path: /^\/interaction\/([\w-]{1,64})\/details$/,
      answer: (request) => describeInteraction(app, provider, request),
    },
    post(/^\/interaction\/([\w-]{1,64})\/sign-in$/, signIn),
    post(/^\/interaction\/([\w-]{1,64})\/second-step$/, answerSecondStep),
    post(/^\/interaction\/([\w-]{1,64})\/passkey\/begin$/, ({ context, interaction }) =>
      beginPasskeySignIn(context, interaction.uid),
    ),
    post(/^\/interaction\/([\w-]{1,64})\/passkey$/, answerPasskey),
    post(/^\/interaction\/([\w-]{1,64})\/register$/, register),
  ];
}

async function signIn(call: InteractionCall) {
  const { context, interaction, request, body } = call;
  const { subject } = await authenticateAccount(
    context,
    signInAccountInput.parse(body),
    findKnownBrowser(context.app, request),
  );
  const half = await beginSecondStep(context, subject);
  if (half === null) return finish(call, subject);
  // Without a login, the provider grants no access: it would only ask for the password again.
  interaction.result = { second_step: half };
  await interaction.persist();
  return { redirect_to: null };
}

async function answerSecondStep(call: InteractionCall) {
  const half = halfSignInSchema.safeParse(call.interaction.result?.second_step);
  if (!half.success) throw new AppError('sign_in_expired');
  const code = secondFactorCodeInput.parse(call.body);
  const { subject, recoveryCodesLeft } = await finishSecondStep(call.context, half.data, code);
  return { ...(await finish(call, subject)), recovery_codes_left: recoveryCodesLeft };
}

async function answerPasskey(call: InteractionCall) {
  const input = passkeySignInInput.parse(call.body);
  const { subject } = await signInWithPasskey(call.context, call.interaction.uid, input);
  return finish(call, subject);
}

async function register(call: InteractionCall) {
  const { context, interaction } = call;
  const input = registerAccountInput.parse(call.body);
  const invitationToken = findInvitationToken(context.app, call, interaction.params);
  const { subject, awaitsVerification } = await registerAccount(context, input, invitationToken);
  return awaitsVerification ? { redirect_to: null } : finish(call, subject);
}

/** Records who has signed in and returns the address at which the provider continues. */
async function finish(
  { context, request, response, provider, interaction }: InteractionCall,
  subject: string,
): Promise<{ redirect_to: string }> {
  const current = await provider.Session.get(provider.createContext(request, response));
  if (current.accountId && current.accountId !== subject) {
    // Another person is already signed in in this browser, possibly in another tab: that session ends here,
    // instead of on a page of the provider that asks.
    await current.destroy();
    interaction.session = undefined;
  }
  // `create` answers the request for registration; signing in with an existing account answers it too.
  const result: InteractionResults = { login: { accountId: subject, remember: true }, create: {} };
  interaction.result = result;
  await interaction.persist();
  rememberBrowser(context.app, { request, response }, subject);
  return { redirect_to: interaction.returnTo };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
