import { useOnIntent } from '../../../components/lazy-parts/use-on-intent.ts';
import { OrganizationSwitcherButton } from './organization-switcher-button.tsx';

const loadSwitcher = () => import('./open-organization-switcher.tsx');

/** The current organization in the top bar; its list is loaded when someone reaches for it. */
export function OrganizationSwitcher() {
  const { Loaded, intent } = useOnIntent(loadSwitcher);
  if (Loaded) return <Loaded />;
  return <OrganizationSwitcherButton aria-haspopup="dialog" aria-expanded={false} {...intent} />;
}
