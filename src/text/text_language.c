/* The function words of languages, and the language of a text: by these words, and by n-grams (libexttextcat) where
 * they do not decide.
 *
 * Words are folded and separated by single spaces; what an apostrophe cuts off (don't, l'homme) is listed in its
 * pieces.
 *
 * All stop words of all languages stand in one table, hash -> set of languages: a lookup for one language and a vote
 * for all of them are the same probe. Built once, immutable from then on. Not base/map.h: this is asked for every
 * distinct word of every page, needs no second comparison, and never grows. */
#include "text/text.h"

#include <libexttextcat/textcat.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static const struct {
    const char *lang, *words;
} stop_words[TEXT_VOTE_LANGS] = {
    {"en",
     "a about above after again against all also am an and any are aren as at be because been before being below "
     "between both but by can cannot could couldn d did didn do does doesn doing don down during each either else "
     "ever every few for from further had hadn has hasn have haven having he her here hers herself him himself his "
     "how however i if in into is isn it its itself just ll m may me might more most must my myself neither no nor "
     "not of off on once only or other ought our ours ourselves out over own re s same shall she should shouldn "
     "since so some such t than that the their theirs them themselves then there these they this those though "
     "through thus to too under until up upon us ve very was wasn we were weren what when where whether which while "
     "who whom whose why will with within without won would wouldn yet you your yours yourself yourselves"},
    {"de",
     "aber alle allem allen aller alles als also am an andere anderen anderer anderes auch auf aus bei beim bin bis "
     "bist da dabei dadurch dafür dagegen daher damit dann daran darauf daraus darüber das dass dazu dein deine dem "
     "den denen denn der deren des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine "
     "einem einen einer eines einige einigen er es etwa etwas euch euer für gegen gewesen hab habe haben hat hatte "
     "hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden "
     "jeder jedes jedoch jene jener kann kein keine keinem keinen keiner können könnte man manche mein meine mich "
     "mir mit muss müssen nach nachdem nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner "
     "seit selbst sich sie sind so sobald sodass soll sollen sollte sondern sonst sowie über um und uns unser unsere "
     "unter viel vom von vor war waren warum was weder weil welche welchem welchen welcher welches wenn wer werde "
     "werden wie wieder will wir wird wo wurde wurden während zu zum zur zwar zwischen"},
    {"fr",
     "a afin ai ainsi alors après as au aucun aucune aujourd auquel aussi autre autres aux auxquels avait avant avec "
     "avez avoir avons c car ce ceci cela celle celles celui cependant ces cet cette ceux chaque chez comme comment "
     "d dans de depuis des dès deux donc dont du elle elles en encore entre es est et étaient était étant été être "
     "eu eux fait faire fois font hui il ils j je jusqu l la laquelle là le lequel les lesquels leur leurs lors "
     "lorsque lui m ma mais me même mêmes mes moi moins mon n ne ni non nos notre nous on ont or ou où par parce "
     "pas pendant peu peut plus plusieurs pour pourquoi puis qu quand que quel quelle quelles quels qui quoi s sa "
     "sans se selon sera ses si sinon soit son sont sous suis sur t ta tandis te tel telle tes toi ton toujours tous "
     "tout toute toutes très trop tu un une vers voici vos votre vous y à ça"},
    {"es",
     "a al algo alguna algunas alguno algunos ante antes aquel aquella aquellos aquí así aun aunque bajo bien cada "
     "casi como con contra cual cuales cuando de del desde donde dos durante e el él ella ellas ello ellos en entre "
     "era eran eres es esa esas ese eso esos esta está estaba estado están estar estas este esto estos fue fueron "
     "ha había habían han hasta hay he la las le les lo los luego más me mediante mi mis mientras mucho muchos muy "
     "nada ni no nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque pues que qué "
     "quien quienes se según ser será si sí sido siendo sin sino sobre son su sus también tan tanto te tiene tienen "
     "toda todas todavía todo todos tras tu tus un una unas uno unos usted ustedes vosotros y ya yo"},
    {"it",
     "a abbiamo ad agli ai al alcune alcuni alla alle allo allora altra altre altri altro anche ancora aveva avere "
     "avevano c che chi ci ciò co coi col come con contro cosa così cui d da dagli dai dal dalla dalle dallo degli "
     "dei del dell della delle dello di dopo dove due durante e è ed era erano essa esse essere essi esso fino fra "
     "fu furono già gli ha hanno ho i il in infatti io l la le lei li lo loro lui ma me mentre mi mia mio molto ne "
     "negli nei nel nell nella nelle nello no noi non nostra nostro o ogni oppure per perché però più poco poi prima "
     "proprio può qual quale quali quando quanto quella quelle quelli quello questa queste questi questo qui quindi "
     "sarà se sei sempre senza si sia siamo siano sono sopra sotto sta stata state stati stato su sua sue sui sul "
     "sulla sulle suo suoi tra tu tutta tutte tutti tutto un una uno vi voi"},
    {"pt",
     "a à ainda além algum alguma algumas alguns ao aos apenas após aquela aquele aqueles aquilo aqui as às assim até "
     "cada com como contra cujo da das de dela dele deles depois desde dessa desse desta deste disso do dois dos "
     "durante e é ela elas ele eles em embora enquanto entre era eram essa essas esse esses esta está estão estar "
     "estas estava este estes eu foi foram há isso isto já lhe lhes lo logo mais mas me mesma mesmo meu minha muito "
     "muitos na não nas nem nenhum no nos nós nossa nosso num numa o onde os ou outra outras outro outros para pela "
     "pelas pelo pelos pode podem pois por porém porque pouco qual quais quando quanto que quem são se seja sem "
     "sempre sendo ser será seu seus sido sob sobre sua suas também tanto te tem têm tinha toda todas todo todos "
     "tu tudo um uma umas uns você vocês vos"},
    {"nl",
     "aan achter al alle alleen alles als altijd andere anderen bij bijna binnen boven buiten daar daarna daarom dan "
     "dat de deze die dit doch doen door dus echter een eens elk elke en enige er geen geweest haar had hadden heb "
     "hebben heeft hem hen het hier hij hoe hun iemand iets ik in indien is ja je jij jullie kan konden kunnen maar "
     "meer meest men met mij mijn moet moeten na naar naast niet niets nog nu of om omdat ons onder onze ook op over "
     "reeds sinds steeds te tegen ten ter terwijl toch toen tot tussen u uit uw van vanaf veel verder via volgens "
     "voor waar waarin waren was wat we weer wel welke werd werden wie wij wil worden wordt zal ze zeer zelf zich "
     "zij zijn zo zoals zonder zou zouden zowel"},
    {"sv",
     "all alla allt än ännu andra annan annat är åt att av bara blev bli blir bland både då där därför de dem den "
     "denna deras dess dessa det detta dig din dina ditt dock du efter ej eller en enligt er era ett få får för före "
     "från fram genom ha hade han hans har här hela hennes henne hon honom hos hur i icke in inför ingen inom inte "
     "jag ju kan kunde man med medan mellan men mer mest mig min mina mitt mot mycket någon något några när ni nu "
     "och också om oss på redan så sådan sådana samma samt sedan sig sin sina sitt ska skall skulle som till under "
     "upp ut utan vad var vara varför varit varje vars vem vi vid vilka vilken vilket vår våra åt över"},
    {"da",
     "ad af aldrig alle alt altid anden andet andre at bare begge blandt blev blive bliver da de dem den denne der "
     "deres derfor det dette dig din dine disse dog du efter ej eller en end endnu er et få får for før fordi fra "
     "gennem gør ham han hans har havde have heller hende hendes her hos hun hvad hvem hver hvis hvor hvordan hvorfor "
     "hvornår i ifølge igen ikke ind inden ingen intet jeg jer jeres jo kan kom kun kunne langs lige man mange med "
     "meget mellem men mens mere mest mig min mine mit mod må måtte når ned nogen noget nogle nok nu ny og også om "
     "omkring op os over på så sådan samme samt selv selvom sig sin sine sit siden skal skulle som største til ud "
     "uden under var ved vi vil ville vor vores være været"},
    {"no",
     "alle alt andre annen annet at av bare begge ble blant bli blir blitt både da de deg dem den denne der dere "
     "deres derfor det dette din disse dit ditt du eller en enn er et ett etter få får før flere for fordi fra "
     "gjennom gjør ha hadde han hans har hennes her hos hun hva hvem hver hvilken hvilket hvis hvor hvordan hvorfor "
     "i ifølge igjen ikke ingen inn innen jeg kan kom kun kunne man mange med meg meget mellom men mens mer mest min "
     "mine mitt mot mye må måtte når ned noe noen nok nå og også om opp oss over på så sånn samme samt seg selv "
     "selvom siden sin sine sitt skal skulle slik som til tok under uten ut var vært være ved vi vil ville vår våre"},
    {"fi",
     "ei eikä eivät eli ehkä emme en enemmän ennen ensin entä että et ette ettei he heidän heille hän hänelle hänen "
     "häntä ilman itse ja jo johon joiden joihin joilla jois joissa joista joita joka jokin joko jolla jolle jolloin "
     "jonka jos joskus jossa josta jota jotka jotta juuri kaikki kaikkien kanssa kautta keskellä kuin kuinka kuitenkin "
     "kuka kun kuten ketkä kukin lisäksi luona me meidän meille mikä mikäli miksi millä milloin minkä minun minut "
     "minä missä mistä miten mitä mutta muu muun muut muutama myös myöskin ne niiden niille niin niitä noin nuo nyt "
     "näiden näin nämä ole olen oli olivat olla olleet ollut on oma ovat paitsi pitkin poikki pois saakka sekä sen "
     "siellä siihen siinä siis siitä sille sillä silti sinä sitten sitä se tai te tämä tämän tässä tästä tätä tähän "
     "tuo täällä vaan vaikka vain vastaan vielä voi voidaan vuoksi yli"},
    {"ru",
     "а без более бы был была были было быть в вам вас ведь весь во вот все всё всего всех вы где да даже для до его "
     "её ее если есть еще ещё же за здесь и из или им их к как какая какой когда кто которая которого которое "
     "которой которую которые который которых ли либо лишь между меня мне много может можно мой мы на над надо нас "
     "нашего не него нее неё ней нельзя нет ни них но ну о об один одна однако он она они оно от очень перед по под "
     "после потом потому почти при про раз с сам себе себя сейчас со совсем так также такие такой там тебя тем "
     "теперь то тогда того тоже только том тот тут ты у уже хотя чего чем через что чтобы чье эта эти этих это этого "
     "этой этом этот эту я является"},
    {"hu",
     "a abban addig ahhoz ahogy ahol aki akik akkor ala alatt amely amelyek amelyet ami amikor amint amíg annak arra "
     "arról át az azért azok azon azonban azt aztán azután azzal bár be belül benne cikk csak de e ebben eddig egy "
     "egyéb egyes egyetlen egyik egyre ehhez el elég előtt első én ennek éppen erre és ez ezek ezen ezért ezt ezzel "
     "fel felé ha hanem hogy hogyan igen így ill ilyen is ison itt jó jól kell keresztül ki kívül között közül le "
     "legyen lehet lenne lesz lett ma maga magát már más másik meg még mellett mert mi míg minden mindig mint mintha "
     "mit mivel most nagy nagyon ne nekem neki nem néha nincs ő ők olyan össze ott pedig persze rá s saját sem "
     "semmi sok sokat szemben szerint számára talán több tehát továbbá úgy után utolsó vagy vagyis valaki valami való "
     "van vannak vele vissza volna volt voltak"},
    {"tr",
     "ama ancak artık aslında az bana bazı belki ben benim beri beş bile bir biraz birçok biri birkaç biz bizim bu "
     "buna bunda bundan bunlar bunu bunun burada çok çünkü da daha dahi de değil diğer diye dolayı en eğer fakat "
     "gibi göre hala hangi hatta hem henüz hep hepsi her herkes hiç hiçbir ile ilgili ise iki için içinde kadar "
     "karşın kendi kendine kez ki kim kimse madem mı mi mu mü nasıl ne neden nerede niçin niye o olan olarak oldu "
     "olduğu olduğunu olmak olması olsa olur on ona ondan onlar onların onu onun önce oysa öyle pek rağmen sadece "
     "sanki sen senin siz sonra şey şimdi şu şunu tarafından tüm üzere var ve veya ya yani yine yok zaten"},
    {"ro",
     "a abia acea aceasta această aceea acei aceia acel acela acele acest acesta aceste acestea acestei acestor "
     "acestui aceşti acești acolo acum adică ai aici al ale alt alta alte altă altul am ar are asta astfel asupra "
     "atunci au avea avut aş aș aţi ați că căci când care cărei cărui către ce cea cei cel cele celor cine cînd cu "
     "cum cât câte câţi câți dacă dar dat de deci deja deoarece departe desigur despre deşi deși din dintre doar "
     "după ea ei el ele era erau este eu face fără fi fie fiecare fiind foarte fost iar îl îi în încă între întru "
     "îşi își la le li lor lui lângă mai mea meu mi mult multe nici niciun noi nostru nu numai o or ori oricare "
     "până pe pentru peste poate prea prin printre puţin puțin sa să sale sau se sunt sînt şi și spre sub te tot "
     "toată toate totuşi totuși toţi toți tu un una unde unei unele unii unor unui vă voi vom vor vreo"},
    {"cs",
     "a aby ačkoli aj ale anebo ani aniž ano asi aspoň atd až během bez bude budeme budou by byl byla byli bylo byly "
     "být celý co což cože či čím další dále do ho i já jak jakmile jako jaký jakož je jeden jedna jedno jednou jeho "
     "jej její jejich jejím jen jenom jenž ještě jestli jestliže ji jí jím jimi jinak jiné jsem jsi jsme jsou jste k "
     "kam každá každé každý kde kdo když ke která které kterého kterém který kteří kterou kterých li má mají máme mé "
     "mě mezi mi mít mne mnou mohl mohou moje můj může my na nad nade nám námi nás náš naše ne nebo nebyl nebylo "
     "neboť nebyla něco něj nějak nějaký někdo než ní nic nich ním nimi není o od ode on ona oni ono pak po pod podle "
     "pokud potom pouze právě pro proč proti proto protože před přede přes přesto při s sama sami se si sice své svá "
     "svou svůj svých svým ta tady tak také takže tam tato te tě tedy tehdy ten tento této tím tímto to toho tohoto "
     "tom tomto tomu totiž tu tuto tvůj ty tyto u už v vám vás váš vaše ve vedle však všechno všech všechny vše "
     "všichni vy z za zatímco zde ze že"},
    {"id",
     "ada adalah adanya agar akan aku anda antara apa apabila apakah apalagi atas atau bagaimana bagi bahwa banyak "
     "baru bawah beberapa begitu belum berbagai bila bisa boleh bukan cara dalam dan dapat dari daripada demi "
     "demikian dengan dia di dialah diri dulu guna hal hampir hanya harus hingga ia ialah ini itu jadi jika juga "
     "justru kalau kami kamu karena ke kecuali kemudian kepada ketika kini kita lagi lain lainnya lalu lebih maka "
     "mana masih masing maupun melainkan melalui memang mengapa mengenai menjadi menurut mereka meski meskipun "
     "merupakan mungkin namun nya oleh orang pada padahal pula pun saat saja saling sambil sampai sangat saya "
     "seandainya sebab sebagai sebagaimana sebelum sebuah secara sedang sedangkan segala sehingga sejak sekarang "
     "seluruh selain selalu selama semua seorang seolah seperti sering serta sesuatu sesudah setelah setiap siapa "
     "suatu sudah supaya tanpa tapi telah tentang terhadap tersebut tetap tetapi tiap tidak untuk walau walaupun "
     "yaitu yakni yang"},
    {"pl",
     "a aby ach albo ale ależ ani aż bardziej bardzo bez bo bowiem by był była było były być będą będzie bądź chociaż "
     "choć ci ciebie co coś czy czyli dla dlaczego dlatego do dość gdy gdyby gdyż gdzie go i ich ile im inna inne "
     "innego inny innych ja jak jakby jaki jako je jeden jednak jedna jedno jego jej jemu jest jestem jeszcze jeśli "
     "jeżeli już ją każda każdy kiedy kim kto która które którego której który których którym którzy lecz lub ma mają "
     "mam mi między mimo mną mnie może można mój my na nad nam nami nas nasz nasze nawet nic nich nie niech nim nimi "
     "niż no o obok od około on ona one oni ono oraz po pod podczas pomimo ponad ponieważ poza przed przede przez "
     "przy roku również są sam się skąd sobą sobie swego swej swoich swoje swój swych ta tak taka takie także tam te "
     "tego tej temu ten teraz też to tobie tu tutaj twój ty tych tylko tym u w was wasz we wiele więc wszyscy "
     "wszystkich wszystko wszystkie wśród wy wówczas z za zaś zawsze ze został została zostały że żeby"},
};

/* ---- the table ---- */

enum { SLOTS = 8192 }; /* about 2,500 distinct words: a miss usually meets an empty slot */

struct text_stop_words {
    uint32_t bit;
};

static struct {
    uint64_t hash; /* 0: empty */
    uint32_t langs;
} table[SLOTS];
static struct text_stop_words sets[TEXT_VOTE_LANGS];
static pthread_once_t built = PTHREAD_ONCE_INIT;

static size_t slot_of(uint64_t hash)
{
    size_t i = hash & (SLOTS - 1);

    while (table[i].hash && table[i].hash != hash)
        i = (i + 1) & (SLOTS - 1);
    return i;
}

static void build_table(void)
{
    for (unsigned lang = 0; lang < TEXT_VOTE_LANGS; lang++) {
        struct str rest = str_of(stop_words[lang].words), word;

        sets[lang].bit = 1u << lang;
        while (str_split(&rest, ' ', &word)) {
            uint64_t hash = text_word_hash(word);
            size_t i = slot_of(hash);

            table[i].hash = hash;
            table[i].langs |= 1u << lang;
        }
    }
}

/* Bit i for the i-th of stop_words[]. */
static uint32_t stop_langs(uint64_t word_hash)
{
    pthread_once(&built, build_table);
    return table[slot_of(word_hash)].langs;
}

const struct text_stop_words *text_stop_words_for(struct str lang)
{
    pthread_once(&built, build_table);
    for (unsigned i = 0; i < TEXT_VOTE_LANGS; i++)
        if (str_eq(lang, str_of(stop_words[i].lang)))
            return &sets[i];
    return NULL;
}

bool text_stop_words_have(const struct text_stop_words *set, uint64_t word_hash)
{
    return (table[slot_of(word_hash)].langs & set->bit) != 0;
}

bool text_is_stop_word(struct str lang, struct str folded)
{
    const struct text_stop_words *set = text_stop_words_for(lang);

    return set && text_stop_words_have(set, text_word_hash(folded));
}

bool text_is_stop_word_somewhere(uint64_t word_hash)
{
    return stop_langs(word_hash) != 0;
}

/* ---- the language of a text ---- */

/* A word that k languages share is worth 1/k to each; in units that divide well. */
enum { VOTE_UNIT = 840, MIN_HITS = 3, MIN_HITS_AHEAD = 5 };

void text_vote(struct text_votes *votes, uint64_t word_hash, uint32_t times)
{
    uint32_t langs = stop_langs(word_hash);
    uint64_t weight;

    votes->words += times;
    if (!langs)
        return;
    weight = (uint64_t)times * (VOTE_UNIT / (unsigned)__builtin_popcount(langs));
    for (; langs; langs &= langs - 1) {
        unsigned lang = (unsigned)__builtin_ctz(langs);

        votes->hits[lang] += times;
        votes->weight[lang] += weight;
    }
}

/* Running text of any of our languages has at least a quarter of stop words, lists and tables far fewer; a
 * foreign text hits a few by chance. Sure means: 1 word in 12, and a quarter ahead of the next language; or, for text
 * that is mostly names and code, 1 word in 30, and three times the next (n-grams are worse there, and dear). */
struct str text_votes_winner(const struct text_votes *votes)
{
    unsigned best = 0;
    uint64_t second = 0;
    bool sure, ahead;

    for (unsigned i = 1; i < TEXT_VOTE_LANGS; i++)
        if (votes->weight[i] > votes->weight[best])
            best = i;
    for (unsigned i = 0; i < TEXT_VOTE_LANGS; i++)
        if (i != best && votes->weight[i] > second)
            second = votes->weight[i];
    sure = votes->hits[best] >= MIN_HITS && votes->hits[best] * 12 >= votes->words &&
           votes->weight[best] * 4 >= second * 5;
    ahead = votes->hits[best] >= MIN_HITS_AHEAD && votes->hits[best] * 30 >= votes->words &&
            votes->weight[best] >= second * 3;
    return sure || ahead ? str_of(stop_words[best].lang) : STR_NONE;
}

/* The library's own table of languages; loaded once, read only from then on. */
#define FINGERPRINTS "/usr/share/libexttextcat/"
enum { SAMPLE = 2048, PADDING = 64, SHORTEST = 32 }; /* bytes */

static void *textcat; /* NULL where the fingerprints are not installed */
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

/* The library does not look whether it gets memory, and writes to address 0 where it does not. It needs 3.9 MB for its
 * tables and .3 MB for a text: where not even twice as much can be had it is not asked. Another thread
 * may take the memory in between (what this thread has freed it mostly gets again): a known gap
 * (docs/internals/security.md). */
enum { TABLES_BYTES = 8 << 20, TEXT_BYTES = 1 << 20 };

static bool has_memory(size_t bytes)
{
    void *volatile probe = malloc(bytes); /* volatile: or the compiler would do without it */

    free(probe);
    return probe;
}

static void load_ngrams(void)
{
    if (has_memory(TABLES_BYTES) && access(FINGERPRINTS "fpdb.conf", R_OK) == 0)
        textcat = special_textcat_Init(FINGERPRINTS "fpdb.conf", FINGERPRINTS);
}

/* Our code for a name like "en--utf8" or "zh-CN-utf8"; names live as long as the table. */
static struct str code_of(const char *name)
{
    struct str code = str_of(name);

    code.len = str_find(code, '-');
    return str_eq(code, STR("nb")) || str_eq(code, STR("nn")) ? STR("no") : code;
}

/* The library looks at bytes behind the end that it is told: it gets a copy with zeros there, or the guess would
 * depend on what happens to stand in memory. */
struct str text_guess_by_ngrams(struct str utf8)
{
    char sample[SAMPLE + PADDING] = {0};
    candidate_t *candidates;
    struct str code = STR_NONE;
    int count;

    pthread_once(&loaded, load_ngrams);
    if (!textcat || utf8.len < SHORTEST || !has_memory(TEXT_BYTES) ||
        !(candidates = textcat_GetClassifyFullOutput(textcat)))
        return STR_NONE;
    if (utf8.len > SAMPLE)
        for (utf8.len = SAMPLE; utf8.len && ((unsigned char)utf8.p[utf8.len] & 0xC0) == 0x80;)
            utf8.len--; /* whole characters */
    memcpy(sample, utf8.p, utf8.len);
    count = textcat_ClassifyFull(textcat, sample, utf8.len, candidates);
    if (count > 0)
        code = code_of(candidates[0].name);
    textcat_ReleaseClassifyFullOutput(textcat, candidates);
    return code;
}

struct str text_guess_language(struct str utf8)
{
    struct text_votes votes = {0};
    struct text_cursor cursor;
    char word[TEXT_WORD_MAX];
    struct str winner;
    size_t len;

    text_cursor_init(&cursor, utf8);
    while (votes.words < 5000 && text_next_word(&cursor, word, &len))
        text_vote(&votes, text_word_hash((struct str){word, len}), 1);
    winner = text_votes_winner(&votes);
    return winner.p ? winner : text_guess_by_ngrams(utf8);
}

/* Codes that mean the same to us: old ones, Norwegian's written forms, and the common three-letter ones. */
static const char aliases[][2][4] = {
    {"nb", "no"}, {"nn", "no"}, {"iw", "he"}, {"in", "id"}, {"eng", "en"}, {"deu", "de"}, {"ger", "de"},
    {"fra", "fr"}, {"fre", "fr"}, {"spa", "es"}, {"ita", "it"}, {"por", "pt"}, {"nld", "nl"}, {"dut", "nl"},
    {"swe", "sv"}, {"dan", "da"}, {"nor", "no"}, {"nob", "no"}, {"nno", "no"}, {"fin", "fi"}, {"rus", "ru"},
    {"hun", "hu"}, {"tur", "tr"}, {"ron", "ro"}, {"rum", "ro"}, {"zho", "zh"}, {"chi", "zh"}, {"jpn", "ja"},
    {"kor", "ko"}, {"ara", "ar"}, {"ell", "el"}, {"gre", "el"}, {"pol", "pl"}, {"ces", "cs"}, {"cze", "cs"},
};

bool text_lang_code(struct str tag, char out[4])
{
    size_t len = 0;

    tag = str_trim(tag);
    while (len < tag.len && ascii_is_alpha(tag.p[len]))
        len++;
    if (len < 2 || len > 3 || (len < tag.len && !strchr("-_.,; ", tag.p[len])))
        return false;
    for (size_t i = 0; i < 4; i++)
        out[i] = i < len ? ascii_lower(tag.p[i]) : 0;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(out, aliases[i][0]) == 0) {
            memcpy(out, aliases[i][1], 4);
            break;
        }
    return strcmp(out, "und") != 0 && strcmp(out, "mul") != 0 && strcmp(out, "zxx") != 0;
}
