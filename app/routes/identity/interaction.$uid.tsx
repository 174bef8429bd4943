import { createFileRoute } from '@tanstack/react-router';
import { InteractionScreen } from '../../features/identity/interaction-screen.tsx';
import { pageTitle } from '../../i18n/page-title.ts';
import { choiceParam, readSearch } from '../../search-params.ts';

const validSearch = readSearch({ register: choiceParam });

export const Route = createFileRoute('/identity/interaction/$uid')({
  validateSearch: validSearch,
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
