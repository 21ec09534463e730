/* Texts in German, French, Russian, Chinese and Japanese become words and stems, and are classified: football or
 * cooking, in other forms of the words than those that were learnt. */
#include "learn_sample.h"

struct language {
    const char *code;
    const char *football[2], *cooking[2]; /* to learn from */
    const char *football_too, *cooking_too;
};

static const struct language languages[] = {
    {"de",
     {"Der Torwart hielt den Elfmeter und die Mannschaft gewann das Spiel.", "Ein Stürmer schoss zwei Tore im Stadion."},
     {"Die Suppe kocht mit Zwiebeln und Kartoffeln im Topf.", "Man backt den Kuchen mit Butter und Eiern im Ofen."},
     "Mannschaften und Stürmern gelingen Spiele in Stadien.", "Aus einer Kartoffel und einer Zwiebel kochte sie Suppen."},
    {"fr",
     {"Le gardien arrête le penalty et l'équipe gagne le match.", "Un joueur marque deux buts dans le stade."},
     {"La soupe cuit avec des oignons et des carottes.", "On prépare le gâteau avec du beurre et des œufs."},
     "Les joueurs des équipes marquaient un but aux matchs.", "Il préparait les soupes avec une carotte et un oignon."},
    {"ru",
     {"Вратарь отбил пенальти, и команда выиграла матч.", "Нападающий забил два гола на стадионе."},
     {"Суп варится с луком и картофелем в кастрюле.", "Пирог пекут с маслом и яйцами в духовке."},
     "Команды играли матчи на стадионах.", "Для супа нужны картофель, масло и кастрюля."},
    {"zh",
     {"守门员扑出点球，球队赢得比赛。", "前锋在体育场打进两个进球。"},
     {"用洋葱和土豆煮汤。", "用黄油和鸡蛋烤蛋糕。"},
     "两支球队的比赛在体育场举行。", "鸡蛋、黄油和洋葱在厨房里。"},
    {"ja",
     {"ゴールキーパーがペナルティを止め、チームは試合に勝った。", "選手はスタジアムで二得点を決めた。"},
     {"玉ねぎとじゃがいもでスープを煮る。", "バターと卵でケーキを焼く。"},
     "チームの選手がスタジアムで試合をする。", "卵とバターと玉ねぎのスープ。"},
};

static struct text_vector bag_of(const char *text, const char *code, struct text_weight *items)
{
    const struct text_stop_words *stop = text_stop_words_for(str_of(code));
    struct text_stemmer *stemmer = text_stemmer_new();
    struct text_cursor cursor;
    char word[TEXT_WORD_MAX];
    size_t len, n = 0, kept = 0;

    text_cursor_init(&cursor, str_of(text));
    while (text_next_word(&cursor, word, &len)) {
        uint64_t hash = text_word_hash((struct str){word, len});

        if (!stop || !text_stop_words_have(stop, hash))
            items[n++] = (struct text_weight){text_stem_hash(stemmer, str_of(code), (struct str){word, len}, hash), 1};
    }
    text_stemmer_free(stemmer);
    qsort(items, n, sizeof *items, sample_by_stem);
    for (size_t i = 0; i < n; i++) {
        if (kept && items[kept - 1].stem == items[i].stem)
            items[kept - 1].weight++;
        else
            items[kept++] = items[i];
    }
    return (struct text_vector){items, kept};
}

static void classify(const struct language *language, enum model_kind kind)
{
    static const struct str classes[] = {{"football", 8}, {"cooking", 7}};
    struct text_weight items[6][100];
    struct learn_example examples[4];
    struct learn_set set = {.examples = examples, .nexamples = 4, .classes = classes, .nclasses = 2};
    struct model_options options = model_options_default(kind);
    struct text_vector football = bag_of(language->football_too, language->code, items[4]);
    struct text_vector cooking = bag_of(language->cooking_too, language->code, items[5]);
    struct model *model;
    struct errmsg err;
    double scores[2];

    for (int i = 0; i < 4; i++)
        examples[i] = (struct learn_example){
            bag_of(i < 2 ? language->football[i] : language->cooking[i - 2], language->code, items[i]), i >= 2};
    assert_ok(model_train(&set, &options, &model, &err), err);
    model_decision(model, &football, scores);
    assert_true(scores[0] > scores[1]);
    model_decision(model, &cooking, scores);
    assert_true(scores[1] > scores[0]);
    model_free(model);
}

static void test_languages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        for (enum model_kind kind = MODEL_BAYES; kind <= MODEL_MLP; kind++)
            classify(&languages[i], kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_languages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
