import { getUser } from '../services/identity/get-user.ts';
import { updateUserSettingsInput, userSchema } from '../services/identity/schema.ts';
import { updateUserSettings } from '../services/identity/update-user-settings.ts';
import { publicProcedure, router } from './trpc.ts';

export const userRouter = router({
  me: publicProcedure.output(userSchema).query(({ ctx }) => getUser(ctx)),
  updateSettings: publicProcedure
    .input(updateUserSettingsInput)
    .output(userSchema)
    .mutation(({ ctx, input }) => updateUserSettings(ctx, input)),
});
