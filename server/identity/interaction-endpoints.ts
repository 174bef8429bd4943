import type { InteractionResults, Provider } from 'oidc-provider';
import { invitationTokenOf } from '../auth/return-path.ts';
import { createSignInFlows } from '../auth/sign-in-flow.ts';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { authenticateAccount } from '../services/identity/accounts/authenticate-account.ts';
import { registerAccount } from '../services/identity/accounts/register-account.ts';
import { beginPasskeySignIn, signInWithPasskey } from '../services/identity/passkeys/sign-in-with-passkey.ts';
import {
  type Interaction,
  interactionSchema,
  passkeySignInInput,
  registerAccountInput,
  secondFactorCodeInput,
  signInAccountInput,
} from '../services/identity/schema.ts';
import {
  beginSecondStep,
  finishSecondStep,
  halfSignInSchema,
} from '../services/identity/second-factor/second-step.ts';
import { getRegistrationTerms } from '../services/identity/sign-in/admit-newcomer.ts';
import { isBegunHere } from './begun-interactions.ts';
import { findKnownBrowser, rememberBrowser } from './browser-cookie.ts';
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

/**
 * Returns the endpoints of the sign-in and registration pages: `details`, `sign-in`, `second-step`, `passkey`
 * and `register` of an interaction. Each is bound by the provider's cookie to the browser that started it;
 * for any other, and for one that has ended, the response is sign_in_expired.
 */
export function createInteractionEndpoints(app: App, provider: Provider): readonly JsonEndpoint[] {
  const find = (request: InteractionRequest) => findInteraction(app, provider, request);

  /** Records who has signed in and returns the address at which the provider continues. */
  const finish = async (
    { context, request, response }: JsonEndpointRequest,
    interaction: Awaited<ReturnType<typeof find>>,
    subject: string,
  ) => {
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
  };

  return [
    {
      method: 'GET',
      path: /^\/interaction\/([\w-]{1,64})\/details$/,
      answer: (request) => describeInteraction(app, provider, request),
    },
    {
      method: 'POST',
      path: /^\/interaction\/([\w-]{1,64})\/sign-in$/,
      async answer(request) {
        const interaction = await find(request);
        const { subject } = await authenticateAccount(
          request.context,
          signInAccountInput.parse(request.body),
          findKnownBrowser(request.context.app, request.request),
        );
        const half = await beginSecondStep(request.context, subject);
        if (half === null) return finish(request, interaction, subject);
        // Without a login, the provider grants no access: it would only ask for the password again.
        interaction.result = { second_step: half };
        await interaction.persist();
        return { redirect_to: null };
      },
    },
    {
      method: 'POST',
      path: /^\/interaction\/([\w-]{1,64})\/second-step$/,
      async answer(request) {
        const interaction = await find(request);
        const half = halfSignInSchema.safeParse(interaction.result?.second_step);
        if (!half.success) throw new AppError('sign_in_expired');
        const code = secondFactorCodeInput.parse(request.body);
        const { subject, recoveryCodesLeft } = await finishSecondStep(request.context, half.data, code);
        return { ...(await finish(request, interaction, subject)), recovery_codes_left: recoveryCodesLeft };
      },
    },
    {
      method: 'POST',
      path: /^\/interaction\/([\w-]{1,64})\/passkey\/begin$/,
      async answer(request) {
        const { uid } = await find(request);
        return beginPasskeySignIn(request.context, uid);
      },
    },
    {
      method: 'POST',
      path: /^\/interaction\/([\w-]{1,64})\/passkey$/,
      async answer(request) {
        const interaction = await find(request);
        const input = passkeySignInInput.parse(request.body);
        const { subject } = await signInWithPasskey(request.context, interaction.uid, input);
        return finish(request, interaction, subject);
      },
    },
    {
      method: 'POST',
      path: /^\/interaction\/([\w-]{1,64})\/register$/,
      async answer(request) {
        const interaction = await find(request);
        const input = registerAccountInput.parse(request.body);
        const invitationToken = findInvitationToken(app, request, interaction.params);
        const registered = await registerAccount(request.context, input, invitationToken);
        const { subject, awaitsVerification } = registered;
        return awaitsVerification ? { redirect_to: null } : finish(request, interaction, subject);
      },
    },
  ];
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
