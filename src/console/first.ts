/**
 * A script of its own, ahead of the page's: the server is asked while React is still on its way, and the colours are there
 * before anything is drawn. It must stay a few kilobytes, so nothing here may know React.
 */
import { askEarly } from './api/early.ts';
import { addressHere, placeOf } from './place.ts';
import { showTheme } from './theme.ts';

askEarly(placeOf(addressHere()));
showTheme();
