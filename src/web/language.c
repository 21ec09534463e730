#include "web/language.h"

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
