import { createFileRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { InteractionScreen } from '../../features/identity/interaction-screen.tsx';
import { pageTitle } from '../../i18n/page-title.ts';

export const Route = createFileRoute('/identity/interaction/$uid')({
  validateSearch: z.object({ register: z.boolean().optional().catch(undefined) }),
  head: ({ match }) => ({
    meta: [{ title: pageTitle(match.context, match.search.register ? 'register' : 'sign-in') }],
  }),
  component: Interaction,
});

function Interaction() {
  const { uid } = Route.useParams();
  const { register } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <InteractionScreen
      uid={uid}
      isRegistration={register}
      onSwitch={(isRegistration) => void navigate({ search: { register: isRegistration }, replace: true })}
    />
  );
}
