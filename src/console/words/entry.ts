/** One text in every language of the console: English, Portuguese. */
export type Entry = readonly [en: string, pt: string];
