import { useOnIntent } from '../../components/lazy-parts/use-on-intent.ts';
import { UserMenuButton } from './user-menu-button.tsx';

const loadMenu = () => import('./open-user-menu.tsx');

/** The avatar of the top bar; its menu is loaded when someone reaches for it. */
export function UserMenu() {
  const { Loaded, intent } = useOnIntent(loadMenu);
  if (Loaded) return <Loaded />;
  return <UserMenuButton aria-haspopup="menu" aria-expanded={false} {...intent} />;
}
