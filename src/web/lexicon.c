#include "web/lexicon.h"

#include "web/webspec.h"

#include <math.h>
#include <stdlib.h>

/* ---- languages ---- */

static const struct language languages[] = {
    {"en",
     "the of and to a in is that for it was on with as be by at from this are or an have not but his they which had "
     "you were her all she there would their we him been has when who will no more if out so said what up its about "
     "than into them can only other new some could time these two may then do first any my now such like our over "
     "man me even most made after also",
     "b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh sl sp st t th tr v w",
     "a e i o u a e i o ea ou ai", "- - - - - - n r l s t nd m",
     NULL, NULL, NULL, 2, 3, true, "windows-1252"},
    {"de",
     "der die und in den von zu das mit sich des auf ist im dem nicht ein eine als auch es an werden aus er hat dass "
     "sie nach wird bei einer um am sind noch wie einem einen so zum war haben nur oder aber vor zur bis mehr durch "
     "man sein wurde sei schon wenn habe seine ihre dann unter wir soll ich eines kann gegen vom sein können mich ihr",
     "b bl d dr f fr g gr h j k kl kn l m n p pf r s sch schw sp st t tr v w z zw",
     "a e i o u ä ö ü au ei ie", "- - n r l s t nd cht ng rt tz ß",
     "b bl d dr f fr g gr h j k kl kn l m n p pf r s sch schw sp st t tr v w z zw",
     "a e i o u ae oe ue au ei ie", "- - n r l s t nd cht ng rt tz ss", 2, 3, true, "windows-1252"},
    {"fr",
     "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont mais ou avec "
     "son on aux cette ont ses être elle comme nous sa même ces fait leur si entre deux bien peut sans tout été "
     "dont aussi très après encore notre vous autres leurs avant moins",
     "b br c ch cl d dr f fr g gr j l m n p pl pr qu r s t tr v",
     "a e i o u é è ê ou oi ai eau", "- - - - n r l s t x",
     "b br c ch cl d dr f fr g gr j l m n p pl pr qu r s t tr v",
     "a e i o u e e e ou oi ai eau", "- - - - n r l s t x", 2, 3, true, "windows-1252"},
    {"es",
     "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre "
     "este ya entre cuando todo esta ser son dos también fue había era muy años hasta desde está mi porque qué sólo "
     "yo hay vez puede todos así nos ni parte tiene él uno donde bien tiempo",
     "b br c ch d f fl g gr h j l ll m n ñ p pr qu r s t tr v z", "a e i o u á é í ó ie ue",
     "- - - - n r l s d", "b br c ch d f fl g gr h j l ll m n n p pr qu r s t tr v z",
     "a e i o u a e i o ie ue", "- - - - n r l s d", 2, 3, true, "windows-1252"},
    {"it",
     "di e il la che in a per un è del non una le si con i da dei della sono al come ha nel più gli delle alla anche "
     "ma lo su o dal se questo ai suo ed nella era stato dalla questa anni loro cui ad due essere hanno ho fra tra "
     "molto tutti solo dopo prima stata ancora dove così",
     "b br c ch d f fr g gl gn l m n p pr qu r s sc sp st t tr v z", "a e i o u ia io uo", "- - - - - n r l",
     NULL, NULL, NULL, 2, 4, true, "windows-1252"},
    {"pt",
     "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou quando "
     "muito nos já eu também só pelo pela até isso ela entre depois sem mesmo aos seus quem nas me esse eles você essa "
     "num nem suas meu às minha numa foi são está",
     "b br c ch d f fl g gr j l lh m n nh p pr qu r s t tr v z", "a e i o u á ã é ê ó ão ei ou",
     "- - - - r l s m", "b br c ch d f fl g gr j l lh m n nh p pr qu r s t tr v z",
     "a e i o u a a e e o ao ei ou", "- - - - r l s m", 2, 3, true, "windows-1252"},
    {"nl",
     "de van het een en in is dat op te zijn die met voor niet aan er om ook als dan maar bij of uit nog worden door "
     "naar heeft tot ze wordt over hij hebben deze kan meer was geen al wel zo we dit hun veel haar zou wat onder "
     "tegen na omdat kunnen moet zich worden mijn jaar",
     "b bl br d dr g gr h j k kl kr l m n p pl r s sch sl sp st t tr v vl w z",
     "a e i o u aa ee oo ui ij oe ie", "- - n r l s t cht k ng rt",
     NULL, NULL, NULL, 2, 3, true, "windows-1252"},
    {"ru",
     "и в не на я что он с как это по но они к у же мы из за так для от о вы был бы до все его или было только еще "
     "если она уже ее есть их при быть во со мне когда даже нет ему том без этот может где раз тем чем того под этого "
     "после себя них можно",
     "б бр в г гр д др ж з к кр л м н п пр р с ст т тр ф х ч ш", "а е и о у ы я ю",
     "- - - н р л с т к м й", "b br v g gr d dr zh z k kr l m n p pr r s st t tr f kh ch sh", "a e i o u y ya yu",
     "- - - n r l s t k m y", 2, 3, true, "windows-1251"},
    {"zh",
     "的 是 在 了 不 和 有 我 这 他 们 中 大 来 上 国 个 到 说 为 子 你 地 出 道 也 得 就 那 要 下 以 生 会 自 着 去 之 过 家 "
     "学 对 可 她 里 后 小 么 心 多 天 而 能 好 都 然 没 日 于 起 还 发 成 事 只 作 当 想 看 文 无 开 手 十 用 主 行 方 又 如",
     "山 水 火 木 金 土 石 风 雨 雪 花 草 树 鸟 鱼 马 牛 羊 虎 龙 海 江 湖 河 云 星 月 光 电 车 船 路 桥 门 窗 书 画 音 乐 "
     "医 药 食 茶 酒 米 菜 果 衣 布 丝 纸 笔 墨 铁 铜 银 玉 城 村 田 林",
     "-", "-",
     "shan shui huo mu jin tu shi feng yu xue hua cao shu niao yu ma niu yang hu long hai jiang hu he yun xing yue "
     "guang dian che chuan lu qiao men chuang shu hua yin yue yi yao shi cha jiu mi cai guo yi bu si zhi bi mo tie "
     "tong yin yu cheng cun tian lin",
     "-", "-", 2, 3, false, NULL},
};

const struct language *language_find(struct str code)
{
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        if (str_eq(code, str_of(languages[i].code)))
            return &languages[i];
    }
    return NULL;
}

const char *language_list(void)
{
    return "en de fr es it pt nl ru zh";
}

/* ---- words ---- */

enum { LIST_MAX = 96, SYLLABLES_MAX = 4 };

struct list {
    struct str items[LIST_MAX];
    uint32_t count;
};

/* "-" is the empty item. */
static void split(const char *text, struct list *out)
{
    struct str rest = str_of(text), item;

    out->count = 0;
    while (str_split(&rest, ' ', &item)) {
        SCENT_BUG_IF(out->count == LIST_MAX);
        out->items[out->count++] = str_eq(item, STR("-")) ? STR("") : item;
    }
}

struct syllables {
    struct list parts[3], ascii[3]; /* onsets, nuclei, codas */
    int min, max;
};

static void split_syllables(const struct language *language, struct syllables *out)
{
    const char *parts[3] = {language->onsets, language->nuclei, language->codas};
    const char *ascii[3] = {language->ascii_onsets, language->ascii_nuclei, language->ascii_codas};

    for (int i = 0; i < 3; i++) {
        split(parts[i], &out->parts[i]);
        split(ascii[i] ? ascii[i] : parts[i], &out->ascii[i]);
        SCENT_BUG_IF(out->parts[i].count != out->ascii[i].count);
    }
    out->min = language->min_syllables;
    out->max = language->max_syllables;
}

/* A part that does not fit is left out whole, so that no character is cut. */
static void append(struct lexicon_word *word, struct str part)
{
    if (word->len + part.len > LEXICON_WORD_MAX)
        return;
    memcpy(word->text + word->len, part.p, part.len);
    word->len += (uint8_t)part.len;
}

static void make_word(const struct syllables *syllables, uint64_t key, struct lexicon_word *word,
                      struct lexicon_word *slug)
{
    struct dice dice = dice_of(key, 0x30bd);
    int count = syllables->min + (int)dice_below(&dice, (uint64_t)(syllables->max - syllables->min + 1));

    *word = *slug = (struct lexicon_word){.len = 0};
    for (int s = 0; s < count; s++) {
        for (int part = 0; part < 3; part++) {
            uint64_t i = dice_below(&dice, syllables->parts[part].count);

            append(word, syllables->parts[part].items[i]);
            append(slug, syllables->ascii[part].items[i]);
        }
    }
}

static void make_words(const struct syllables *syllables, uint64_t key, size_t from, size_t to,
                       struct lexicon_word *words, struct lexicon_word *slugs)
{
    for (size_t i = from; i < to; i++)
        make_word(syllables, hash_mix(key, i), &words[i], &slugs[i]);
}

static uint32_t put_stop_words(const struct language *language, uint32_t room, struct lexicon_word *words)
{
    struct str rest = str_of(language->stop_words), item;
    uint32_t n = 0;

    while (n < room / 2 && str_split(&rest, ' ', &item)) {
        SCENT_BUG_IF(item.len == 0 || item.len > LEXICON_WORD_MAX);
        words[n] = (struct lexicon_word){.len = 0};
        append(&words[n++], item);
    }
    return n;
}

static bool open_tongue(struct lexicon *lexicon, const char *code, uint64_t seed, struct lexicon_tongue *tongue)
{
    const struct language *language = language_find(str_of(code));
    size_t topic_words = (size_t)lexicon->topic_count * lexicon->topic_size;
    struct syllables syllables;
    uint64_t key = hash_bytes(code, strlen(code), seed);

    SCENT_BUG_IF(!language);
    split_syllables(language, &syllables);
    memcpy(tongue->code, code, strlen(code) + 1);
    tongue->spaced = language->spaced;
    tongue->charset = language->charset;
    tongue->background = calloc(lexicon->background_size, sizeof *tongue->background);
    tongue->background_slugs = calloc(lexicon->background_size, sizeof *tongue->background_slugs);
    tongue->topics = calloc(topic_words, sizeof *tongue->topics);
    tongue->topic_slugs = calloc(topic_words, sizeof *tongue->topic_slugs);
    if (!tongue->background || !tongue->background_slugs || !tongue->topics || !tongue->topic_slugs)
        return false;
    tongue->stop_words = put_stop_words(language, lexicon->background_size, tongue->background);
    make_words(&syllables, hash_mix(key, 1), tongue->stop_words, lexicon->background_size, tongue->background,
               tongue->background_slugs);
    make_words(&syllables, hash_mix(key, 2), 0, topic_words, tongue->topics, tongue->topic_slugs);
    return true;
}

static void fill_zipf(struct lexicon_zipf *zipf, uint32_t size)
{
    for (int i = 0; i <= LEXICON_KNOTS; i++)
        zipf->knots[i] = (uint32_t)lround((exp(i * log(size + 1.0) / LEXICON_KNOTS) - 1) * 32768);
    zipf->knots[LEXICON_KNOTS] = size << 15;
}

scent_status lexicon_new(const struct webspec *spec, struct lexicon **out)
{
    struct lexicon *lexicon = calloc(1, sizeof *lexicon);

    SCENT_BUG_IF(!lexicon);
    lexicon->topic_count = (uint32_t)spec->topics;
    lexicon->topic_size = (uint32_t)spec->topic_vocabulary;
    lexicon->background_size = (uint32_t)spec->vocabulary;
    lexicon->tongue_count = spec->language_count;
    lexicon->tongues = calloc(spec->language_count, sizeof *lexicon->tongues);
    SCENT_BUG_IF(!lexicon->tongues);
    fill_zipf(&lexicon->topic_zipf, lexicon->topic_size);
    fill_zipf(&lexicon->background_zipf, lexicon->background_size);
    for (size_t i = 0; i < spec->language_count; i++) {
        if (!open_tongue(lexicon, spec->languages[i].code, spec->seed, &lexicon->tongues[i])) {
            lexicon_free(lexicon);
            return SCENT_E_NOMEM;
        }
    }
    *out = lexicon;
    return SCENT_OK;
}

void lexicon_free(struct lexicon *lexicon)
{
    if (!lexicon)
        return;
    for (size_t i = 0; i < lexicon->tongue_count; i++) {
        free(lexicon->tongues[i].background);
        free(lexicon->tongues[i].background_slugs);
        free(lexicon->tongues[i].topics);
        free(lexicon->tongues[i].topic_slugs);
    }
    free(lexicon->tongues);
    free(lexicon);
}

const struct lexicon_word *lexicon_topic_slug(const struct lexicon *lexicon, const struct lexicon_tongue *tongue,
                                              uint32_t topic, uint32_t random)
{
    uint64_t rank = (uint64_t)random * (lexicon->topic_size / 2) >> 32;

    return &tongue->topic_slugs[(size_t)topic * lexicon->topic_size + rank];
}

const struct lexicon_word *lexicon_plain_slug(const struct lexicon *lexicon, const struct lexicon_tongue *tongue,
                                              uint32_t random)
{
    uint64_t rank = (uint64_t)random * (lexicon->background_size - tongue->stop_words) >> 32;

    return &tongue->background_slugs[tongue->stop_words + rank];
}
