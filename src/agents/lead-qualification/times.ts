/** Does somebody speak of time at all? In English, Portuguese and Spanish, however loosely: "no rush", "lo antes posible". */
import { plain } from '../language.ts';
import { isDateName } from './dates.ts';

const GREETINGS =
  /\b(?:(?:good|nice|great) (?:morning|afternoon|evening|night|day)|bom dia|boa (?:tarde|noite)|buen dia|buenos dias|buenas (?:tardes|noches))\b/g;

const PHRASES =
  /^may$|\b(?:in|of|by|until|till|next|this|early|mid|late|before|after|around|from) may\b|\b(?:dont know|not sure|no idea|no rush|no hurry|right away|straight away|in the fall|nao sei|sem ideia|tanto faz|sem pressa|no se|ni idea|da igual|sin prisa)\b/;

const WORDS = new Set(
  [
    'yesterday today tonight tomorrow now asap soon sooner soonest immediately urgent urgently hurry quickly early earlier earliest late later latest',
    'next until till before after within when whenever anytime sometime someday eventually already flexible depends depending time date deadline',
    'minute minutes hour hours day days week weeks weekend weekends weekday weekdays fortnight month months quarter semester year years',
    'morning afternoon evening night noon midday spring summer autumn winter christmas xmas easter holiday holidays vacation birthday wedding',
    'hoje amanha agora ja logo breve cedo urgente urgencia imediato imediatamente rapido depois antes ate quando enquanto depende flexivel prazo data tempo',
    'minuto minutos hora horas dia dias semana semanas quinzena mes meses bimestre trimestre semestre ano anos proximo proxima proximos proximas',
    'manha tarde noite primavera verao outono inverno natal pascoa carnaval ferias feriado feriados aniversario casamento',
    'hoy manana ahora ya pronto temprano inmediato inmediatamente cuanto despues luego hasta cuando mientras plazo fecha tiempo quincena',
    'noche verano otono invierno navidad pascua vacaciones feriados cumpleanos boda',
  ].flatMap((line) => line.split(' ')),
);

/** Any number counts: it may be a day, an hour or a year. */
export function speaksOfTime(text: string): boolean {
  const said = plain(text).replace(GREETINGS, ' ');
  return /\d/.test(said) || PHRASES.test(said) || said.split(' ').some((word) => WORDS.has(word) || isDateName(word));
}
