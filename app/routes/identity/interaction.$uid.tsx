import { createFileRoute } from '@tanstack/react-router';
import { interactionQuery } from '../../features/identity/sign-in/interaction-query.ts';
import { InteractionScreen } from '../../features/identity/sign-in/interaction-screen.tsx';
import { pageTitle } from '../../i18n/page-title.ts';
import { choiceParam, readSearch, textParam } from '../../search-params.ts';

// The server handles the language; if dropped here, the page would be requested again without it.
const validSearch = readSearch({
  register: choiceParam,
  login_hint: textParam,
  ui_locales: textParam,
});

export const Route = createFileRoute('/identity/interaction/$uid')({
  validateSearch: validSearch,
  // So that the first page already says whether registration is open. A failure is for the browser to repeat.
  loader: ({ context, params }) => context.queryClient.prefetchQuery(interactionQuery(params.uid)),
  // Loaded with its page: no other page needs it.
  codeSplitGroupings: [['loader', 'component']],
  head: ({ match }) => ({
    meta: [{ title: pageTitle(match.context, match.search.register ? 'register' : 'sign-in') }],
  }),
  component: Interaction,
});

function Interaction() {
  const { uid } = Route.useParams();
  const { register, login_hint } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <InteractionScreen
      uid={uid}
      isRegistration={register}
      email={login_hint ?? ''}
      onSwitch={(isRegistration) =>
        void navigate({ search: (search) => ({ ...search, register: isRegistration }), replace: true })
      }
    />
  );
}
