import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InteractionResults, Provider } from 'oidc-provider';
import type { RequestContext } from '../context.ts';
import { AppError } from '../errors.ts';
import { authenticateAccount } from '../services/identity/authenticate-account.ts';
import { registerAccount } from '../services/identity/register-account.ts';
import {
  type Interaction,
  interactionSchema,
  registerAccountInput,
  signInAccountInput,
} from '../services/identity/schema.ts';

/** What the sign-in and registration pages call. Each is bound to the browser that began, by the provider's cookie. */
export interface InteractionEndpoints {
  details(request: IncomingMessage, response: ServerResponse, uid: string): Promise<Interaction>;
  signIn(
    context: RequestContext,
    request: IncomingMessage,
    response: ServerResponse,
    uid: string,
    body: unknown,
  ): Promise<{ redirect_to: string }>;
  register(
    context: RequestContext,
    request: IncomingMessage,
    response: ServerResponse,
    uid: string,
    body: unknown,
  ): Promise<{ redirect_to: string }>;
}

export function createInteractionEndpoints(provider: Provider): InteractionEndpoints {
  /** Returns the interaction that this browser began. @throws sign_in_expired */
  const find = async (request: IncomingMessage, response: ServerResponse, uid: string) => {
    const interaction = await provider.interactionDetails(request, response).catch((error: unknown) => {
      if (error instanceof Error && error.name === 'SessionNotFound') throw new AppError('sign_in_expired');
      throw error;
    });
    if (interaction.uid !== uid) throw new AppError('sign_in_expired');
    return interaction;
  };

  /** Says who has signed in and returns the address at which the provider goes on. */
  const finish = async (interaction: Awaited<ReturnType<typeof find>>, subject: string) => {
    if (interaction.session && interaction.session.accountId !== subject) {
      // Somebody else was signed in at this browser: that session ends, instead of asking on a page of the provider.
      await (await provider.Session.findByUid(interaction.session.uid))?.destroy();
      interaction.session = undefined;
    }
    // `create` answers the request for registration; who signs in with an old account instead has answered it too.
    const result: InteractionResults = { login: { accountId: subject, remember: true }, create: {} };
    interaction.result = result;
    await interaction.persist();
    return { redirect_to: interaction.returnTo };
  };

  return {
    async details(request, response, uid) {
      const { prompt, params } = await find(request, response, uid);
      return interactionSchema.parse({
        prompt: prompt.name === 'create' ? 'create' : 'login',
        ui_locales: textOrNull(params.ui_locales),
        login_hint: textOrNull(params.login_hint),
      });
    },

    async signIn(context, request, response, uid, body) {
      const interaction = await find(request, response, uid);
      const { subject } = await authenticateAccount(context, signInAccountInput.parse(body));
      return finish(interaction, subject);
    },

    async register(context, request, response, uid, body) {
      const interaction = await find(request, response, uid);
      const { subject } = await registerAccount(context, registerAccountInput.parse(body));
      return finish(interaction, subject);
    },
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
