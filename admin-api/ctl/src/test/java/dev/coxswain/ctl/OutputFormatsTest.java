// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code -o jsonpath} and {@code -o custom-columns}, over what {@code -o json} shows. */
class OutputFormatsTest {

  private static final String NAMES = "jsonpath={range .items[*]}{.key.name}{\"\\n\"}{end}";

  @TempDir private Path folder;
  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  OutputFormatsTest() throws IOException {}

  private static String item(String name, int failures) {
    return "{\"key\":{\"namespace\":\"shop\",\"name\":\"%s\"},\"failures\":%s}"
        .formatted(name, failures);
  }

  @BeforeEach
  void answer() {
    String items = "GET /controllers/demo/items?limit=500";
    server.on(
        items,
        200,
        "{\"kind\":\"ItemList\",\"asOfSeq\":9,\"items\":[%s,%s],\"continue\":\"c1\"}"
            .formatted(item("b", 9), item("a", 3)));
    server.on(
        items + "&continue=c1",
        200,
        "{\"kind\":\"ItemList\",\"items\":[%s]}".formatted(item("c", 1)));
  }

  @AfterEach
  void close() {
    server.close();
  }

  private String shown(String format, String... more) {
    List<String> line = new ArrayList<>(List.of("get", "items", "demo", "-A", "-o"));
    line.add(format);
    line.addAll(List.of(more));
    assertThat(ctl.run(line.toArray(String[]::new))).as(ctl.errors()).isZero();
    return ctl.output();
  }

  @Test
  void aTemplate_isOfTheWholeList_overAllPages_inTheirOrder() {
    assertThat(shown(NAMES)).isEqualTo("b\na\nc\n");
    assertThat(shown(NAMES, "--sort-by", ".key.name")).isEqualTo("a\nb\nc\n");
    assertThat(shown("jsonpath={.kind} {.asOfSeq} {.continue}|")).isEqualTo("ItemList 9 |");
    assertThat(shown("jsonpath={.items[?(@.failures>3)].key.name}")).isEqualTo("b");
    assertThat(ctl.errors()).isEmpty();
  }

  @Test
  void aLimit_holdsForTemplates() {
    server.on(
        "GET /controllers/demo/items?limit=1",
        200,
        "{\"kind\":\"ItemList\",\"items\":[%s],\"continue\":\"c1\"}".formatted(item("b", 9)));
    assertThat(shown(NAMES, "--limit", "1")).isEqualTo("b\n");
    assertThat(ctl.errors()).isEqualTo("note: there are more than the first 1\n");
  }

  @Test
  void oneObject_isTheDocumentItself_alsoOfAnExplanation() {
    server.on("GET /limiters/default", 200, "{\"name\":\"default\",\"tokens\":2.5}");
    assertThat(ctl.run("limiters", "default", "-o", "jsonpath={.tokens}")).isZero();
    assertThat(ctl.output()).isEqualTo("2.5");
    server.on(
        "GET /controllers/demo/items/c2hvcC9h/explain",
        200,
        "{\"key\":{\"namespace\":\"shop\",\"name\":\"a\"},\"reason\":\"backoff\"}");
    assertThat(ctl.run("explain", "demo", "shop/a", "-ojsonpath={.reason}")).isZero();
    assertThat(ctl.output()).isEqualTo("backoff");
    String columns = "custom-columns=WHY:.reason,NAME:.key.name";
    assertThat(ctl.run("explain", "demo", "shop/a", "shop/a", "-o", columns)).isZero();
    assertThat(ctl.output()).isEqualTo("WHY       NAME\nbackoff   a\nbackoff   a\n");
  }

  @Test
  void topAndFind_haveThemToo() {
    server.on("GET /controllers", 200, "{\"items\":[{\"name\":\"x\"},{\"name\":\"y\"}]}");
    assertThat(ctl.run("top", "-o", "jsonpath={.items[*].name}")).isZero();
    assertThat(ctl.output()).isEqualTo("x y");
    server.on(
        "GET /objects?name=a&namespace=shop",
        200,
        "{\"items\":[{\"controller\":\"x\",\"reason\":\"backoff\"}]}");
    assertThat(
            ctl.run("find", "shop/a", "-o", "custom-columns=C:.controller,R:.reason,NOT:.position"))
        .isZero();
    assertThat(ctl.output()).isEqualTo("C   R         NOT\nx   backoff   <none>\n");
  }

  @Test
  void columns_areATable_andWhatIsMissingIsNone() {
    assertThat(
            shown(
                "custom-columns=NAME:.key.name,F:{.failures},L:.labels,K:.key['namespace','name']"))
        .isEqualTo(
            """
            NAME   F   L        K
            b      9   <none>   shop,b
            a      3   <none>   shop,a
            c      1   <none>   shop,c
            """);
    assertThat(shown("custom-columns=NAME:key.name", "--no-headers")).isEqualTo("b\na\nc\n");
  }

  @Test
  void expressions_mayBeInFiles() throws IOException {
    Path template = Files.writeString(folder.resolve("t"), "{.items[*].key.name}\n");
    assertThat(shown("jsonpath-file=" + template)).isEqualTo("b a c\n");
    Path columns = Files.writeString(folder.resolve("c"), "NAME      F\n.key.name .failures\n");
    assertThat(shown("custom-columns-file=" + columns)).startsWith("NAME   F\nb      9\n");
  }

  @Test
  void goTemplates_areKubectls() throws IOException {
    assertThat(
            shown(
                "go-template={{range $i, $e := .items}}{{if $i}},{{end}}{{.key.name}}{{end}}{{\"\\n\"}}"))
        .isEqualTo("b,a,c\n");
    Path template = Files.writeString(folder.resolve("g"), "{{len .items}} of {{.kind}}\n");
    assertThat(shown("go-template-file=" + template)).isEqualTo("3 of ItemList\n");
  }

  @Test
  void aWrongExpression_isReported_beforeAnyRequest() throws IOException {
    Path odd = Files.writeString(folder.resolve("odd"), "NAME F\n.key.name\n");
    Path latin = Files.write(folder.resolve("latin"), new byte[] {'{', (byte) 0xe4, '}'});
    for (String[] wrong :
        new String[][] {
          {"jsonpath", "jsonpath needs an expression such as"},
          {"jsonpath=", "jsonpath needs an expression such as"},
          {"jsonpath={.items[}", "-o jsonpath: position 9 of \"{.items[}\": expected an index"},
          {"jsonpath-file=" + folder + "/none", "cannot be read"},
          {"jsonpath-file=" + latin, "latin cannot be read"},
          {"jsonpath-file=/dev/zero", "-o jsonpath-file: /dev/zero has more than 65536 bytes"},
          {"go-template-file=/dev/zero", "/dev/zero has more than 65536 bytes"},
          {"custom-columns-file=/dev/zero", "/dev/zero has more than 65536 bytes"},
          {"custom-columns", "custom-columns needs columns such as"},
          {"custom-columns=NAME", "expected TITLE:PATH such as NAME:.key.name, found \"NAME\""},
          {"custom-columns=NAME:", "expected TITLE:PATH"},
          {"custom-columns=NAME:.a,B:.b[", "-o custom-columns: position 4 of \".b[\""},
          {"custom-columns-file=" + odd, "found 2 lines, 2 titles and 1 paths"},
          {"go-template={{.items}", "-o go-template: line 1, column 9: unexpected \"}\""},
          {"go-template=", "go-template needs a template such as {{range .items}}"},
          {"template={{.items}}", "kubectl's older name of go-template"},
          {"jsonpth={.a}", "did you mean \"jsonpath\"?"},
        }) {
      for (String command :
          List.of("get items demo -A", "explain demo a", "find a", "top", "slots")) {
        String[] line = (command + " -o X").split(" ");
        line[line.length - 1] = wrong[0];
        assertThat(ctl.run(line)).as(wrong[0]).isEqualTo(1);
        assertThat(ctl.errors()).as(wrong[0]).startsWith("error: ").contains(wrong[1]);
      }
    }
    assertThat(server.received()).isEmpty();
  }

  @Test
  void anElementThatAListLacks_isAnError_asWithKubectl() {
    server.on("GET /limiters", 200, "{\"items\":[]}");
    assertThat(ctl.run("limiters", "-o", "jsonpath={.items[0].name}")).isEqualTo(1);
    assertThat(ctl.errors())
        .isEqualTo("error: in .items[0].name: there is no element 0 in a list of 0\n");
    assertThat(ctl.run("limiters", "-o", "jsonpath={.items[*].name}")).isZero();
    assertThat(ctl.output() + ctl.errors()).isEmpty();
  }
}
