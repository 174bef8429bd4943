import { z } from 'zod';
import { getUser } from '../services/identity/get-user.ts';
import {
  revokeSessionInput,
  sessionSchema,
  updateUserSettingsInput,
  userSchema,
} from '../services/identity/schema.ts';
import { listSessions } from '../services/identity/sessions/list-sessions.ts';
import { revokeSession } from '../services/identity/sessions/revoke-session.ts';
import { updateUserSettings } from '../services/identity/update-user-settings.ts';
import { publicProcedure, router } from './trpc.ts';

export const userRouter = router({
  me: publicProcedure.output(userSchema).query(({ ctx }) => getUser(ctx)),
  updateSettings: publicProcedure
    .input(updateUserSettingsInput)
    .output(userSchema)
    .mutation(({ ctx, input }) => updateUserSettings(ctx, input)),
  sessions: publicProcedure.output(z.array(sessionSchema)).query(({ ctx }) => listSessions(ctx)),
  revokeSession: publicProcedure
    .input(revokeSessionInput)
    .mutation(({ ctx, input }) => revokeSession(ctx, input)),
});
