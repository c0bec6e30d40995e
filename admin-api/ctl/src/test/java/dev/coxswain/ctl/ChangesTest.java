// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.ctl.internal.print.Json;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Changes of items that are named, and pauses: reasons, questions, exit codes. */
class ChangesTest {

  private static final String ID = "c2hvcC9jYXJ0LTc"; // shop/cart-7
  private static final String PATH = "/controllers/demo/items/" + ID;
  private static final String ITEM =
      "{\"key\":{\"namespace\":\"shop\",\"name\":\"cart-7\"},\"phase\":\"delayed\",\"failures\":9,\"lastError\":\"no answer\"}";
  private static final String APPLIED = "{\"kind\":\"ActionResult\",\"result\":\"applied\"}";

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  ChangesTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void aChange_carriesItsReason_aKeyOfItsOwn_andTheToken() {
    server.on("POST " + PATH + "/retry", 200, APPLIED);
    assertThat(ctl.run("retry", "demo", "shop/cart-7", "--reason", "restored")).isZero();
    assertThat(ctl.run("retry", "demo", "cart-7", "-n", "shop", "--reason=restored")).isZero();
    assertThat(ctl.output()).isEqualTo("item/shop/cart-7 retried\n");
    assertThat(server.received())
        .hasSize(2)
        .allSatisfy(received -> {
          assertThat(received.body()).isEqualTo("{\"reason\":\"restored\"}");
          assertThat(received.headers())
              .containsEntry("authorization", "Bearer " + CtlRunner.TOKEN)
              .containsEntry("content-type", "application/json");
        });
    assertThat(
            server.received().stream().map(received -> received.headers().get("idempotency-key")))
        .doesNotHaveDuplicates()
        .doesNotContainNull();
  }

  @Test
  void withoutAReason_itIsPromptedFor_orRefused() {
    server.on("POST " + PATH + "/retry", 200, APPLIED);
    assertThat(ctl.run("retry", "demo", "shop/cart-7")).isEqualTo(1);
    assertThat(ctl.errors()).contains("a change needs a reason").contains("--reason");
    assertThat(server.received()).isEmpty();
    assertThat(ctl.typing("because").run("retry", "demo", "shop/cart-7")).isZero();
    assertThat(ctl.errors()).isEqualTo("Reason, for the audit log: ");
    assertThat(server.received().getFirst().body()).isEqualTo("{\"reason\":\"because\"}");
    assertThat(ctl.typing("  ").run("retry", "demo", "shop/cart-7")).isEqualTo(1);
  }

  @Test
  void whatChangedNothing_isNoSuccess() {
    server.on(
        "POST " + PATH + "/retry", 200, "{\"result\":\"skipped\",\"detail\":\"it is ready\"}");
    assertThat(ctl.run("retry", "demo", "shop/cart-7", "--reason=x")).isEqualTo(1);
    assertThat(ctl.output()).isEqualTo("item/shop/cart-7 not changed: it is ready\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "412 | item-changed | Item changed | its rev is 18 now; read the item again before you"
            + " change it",
        "409 | operation-running | Operation running | another operation on \"demo\" has not"
            + " ended yet",
        "409 | limiter-not-shared | Limiter not shared | limiter belongs to only this replica",
      })
  void aConflict_isReportedInTheWordsOfTheServer_andEndsWith1(
      int status, String type, String title, String detail) {
    String problem =
        Json.object(
                "type",
                "https://coxswain.dev/problems/" + type,
                "title",
                title,
                "status",
                status,
                "detail",
                detail,
                "requestId",
                "7f1c2a")
            .toString();
    server.on("POST " + PATH + "/retry", status, problem);
    assertThat(ctl.run("retry", "demo", "shop/cart-7", "--reason=x")).isEqualTo(1);
    assertThat(ctl.output()).isEmpty();
    assertThat(ctl.errors()).isEqualTo("Error from server (" + title + "): " + detail + "\n");
    assertThat(server.received()).as("nothing is sent twice").hasSize(1);
  }

  @Test
  void someOfManyThatAreRefused_areReported_andEndWith2_allOfThemWith1() {
    server.on("POST " + PATH + "/retry", 200, APPLIED);
    assertThat(ctl.run("retry", "demo", "shop/cart-7", "shop/gone", "--reason=x")).isEqualTo(2);
    assertThat(ctl.output()).isEqualTo("item/shop/cart-7 retried\n");
    assertThat(ctl.errors()).contains("item/shop/gone: Error from server (Not found)");
    assertThat(ctl.run("retry", "demo", "shop/gone", "shop/lost", "--reason=x")).isEqualTo(1);
    assertThat(ctl.run("retry", "demo", "shop/gone", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors()).startsWith("Error from server (Not found)");
  }

  @Test
  void aPartOfTheReplicas_endsWith2() {
    server.on(
        "POST " + PATH + "/retry",
        200,
        """
        {"result":"partial","partial":true,"results":[{"replica":"coxswain-0","state":"done"},{"replica":"coxswain-1","state":"unknown","error":"no answer"}]}\
        """);
    assertThat(ctl.run("retry", "demo", "shop/cart-7", "--reason=x")).isEqualTo(2);
    assertThat(ctl.output())
        .isEqualTo(
            """
            item/shop/cart-7 retried on some replicas only
              replica coxswain-0: done
              replica coxswain-1: unknown
            """);
    assertThat(ctl.errors()).isEqualTo("warning: replica coxswain-1: unknown (no answer)\n");
  }

  @Test
  void severalReplicas_areListed_andOneAloneIsNot() {
    server.on(
        "POST " + PATH + "/retry",
        200,
        """
        {"result":"applied","partial":false,"results":[{"replica":"coxswain-0","state":"done"},{"replica":"coxswain-1","state":"skipped"}]}\
        """);
    assertThat(ctl.run("retry", "demo", "shop/cart-7", "--reason=x")).isZero();
    assertThat(ctl.output())
        .isEqualTo(
            """
            item/shop/cart-7 retried
              replica coxswain-0: done
              replica coxswain-1: skipped
            """);
    server.on(
        "POST " + PATH + "/retry?replica=coxswain-1",
        200,
        "{\"result\":\"applied\",\"results\":[{\"replica\":\"coxswain-1\",\"state\":\"done\"}]}");
    assertThat(ctl.run("retry", "demo", "shop/cart-7", "--reason=x", "--replica", "coxswain-1"))
        .isZero();
    assertThat(ctl.output()).isEqualTo("item/shop/cart-7 retried\n");
  }

  @Test
  void drop_showsPromptsAndDrops_whenConfirmed() {
    server.on("GET " + PATH, 200, ITEM).on("DELETE " + PATH, 204, "");
    assertThat(ctl.typing("yes").run("drop", "demo", "shop/cart-7", "--reason=x")).isZero();
    assertThat(ctl.errors())
        .isEqualTo(
            """
            ITEM          PHASE     FAILURES   LAST ERROR
            shop/cart-7   delayed   9          no answer
            Drop this item of controller demo at %s? Type yes:\
            """
                    .formatted(server.url())
                + " ");
    assertThat(ctl.output()).isEqualTo("item/shop/cart-7 dropped\n");
    assertThat(server.received().getLast().body()).isEqualTo("{\"reason\":\"x\"}");
  }

  @Test
  void drop_changesNothing_unlessConfirmed() {
    server.on("GET " + PATH, 200, ITEM);
    for (String answer : new String[] {"", "y", "no", "YES"}) {
      assertThat(ctl.typing(answer).run("drop", "demo", "shop/cart-7", "--reason=x"))
          .as(answer)
          .isEqualTo(3);
      assertThat(ctl.errors()).endsWith("error: nothing was changed\n");
    }
    CtlRunner unattended = new CtlRunner(server);
    assertThat(unattended.run("drop", "demo", "shop/cart-7", "--reason=x")).isEqualTo(3);
    assertThat(unattended.errors()).contains("add --yes");
    assertThat(server.requests()).allMatch(request -> request.startsWith("GET "));
  }

  @Test
  void yes_needsNoPrompt() {
    server.on("GET " + PATH, 200, ITEM).on("DELETE " + PATH, 204, "");
    assertThat(ctl.run("drop", "demo", "shop/cart-7", "--reason=x", "-y")).isZero();
    assertThat(server.requests()).containsExactly("GET " + PATH, "DELETE " + PATH);
  }

  @Test
  void aDryRun_looksWhetherItIsThere_andNeedsNoReason() {
    server.on("GET " + PATH, 200, ITEM).on("GET /controllers/demo", 200, "{\"name\":\"demo\"}");
    for (String verb : new String[] {"retry", "forget", "requeue --delay=1m", "drop", "enqueue"}) {
      assertThat(ctl.run((verb + " demo shop/cart-7 --dry-run").split(" "))).as(verb).isZero();
      assertThat(ctl.output()).startsWith("item/shop/cart-7 ").endsWith(" (dry run)\n");
    }
    assertThat(server.requests())
        .containsExactly(
            "GET " + PATH, "GET " + PATH, "GET " + PATH, "GET " + PATH, "GET /controllers/demo");
  }

  @Test
  void aDryRunOfWhatIsNotThere_isTheErrorOfTheRealThing() {
    for (String verb : new String[] {"retry", "forget", "requeue --delay=1m", "drop", "enqueue"}) {
      assertThat(ctl.run((verb + " demo shop/cart-7 --dry-run").split(" "))).as(verb).isEqualTo(1);
      assertThat(ctl.output()).isEmpty();
      assertThat(ctl.errors()).startsWith("Error from server (Not found)");
    }
    server.on("GET " + PATH, 200, ITEM);
    assertThat(ctl.run("retry", "demo", "shop/cart-7", "shop/gone", "--dry-run")).isEqualTo(2);
    assertThat(ctl.output()).isEqualTo("item/shop/cart-7 retried (dry run)\n");
    assertThat(ctl.errors()).startsWith("item/shop/gone: Error from server (Not found)");
  }

  @Test
  void aDryRunOfDrop_showsWhatItShowsBeforeThePrompt() {
    server.on("GET " + PATH, 200, ITEM);
    assertThat(ctl.run("drop", "demo", "shop/cart-7", "--dry-run")).isZero();
    String shown = ctl.errors();
    assertThat(shown).isNotEmpty();
    assertThat(ctl.typing("no").run("drop", "demo", "shop/cart-7")).isEqualTo(3);
    assertThat(ctl.errors()).startsWith(shown + "Drop this item of controller demo");
    // As the real thing: nothing is dropped when one of them is not there.
    assertThat(ctl.run("drop", "demo", "shop/cart-7", "shop/gone", "--dry-run")).isEqualTo(1);
    assertThat(ctl.output()).isEmpty();
  }

  @Test
  void theOtherVerbs_printTheResult() {
    server.on("POST " + PATH + "/forget", 200, APPLIED);
    server.on("POST " + PATH + "/requeue", 200, APPLIED);
    server.on("POST /controllers/demo/items", 201, APPLIED);
    ctl.run("forget", "demo", "shop/cart-7", "--reschedule", "--reason=x");
    ctl.run("requeue", "demo", "shop/cart-7", "--delay", "1h30m", "--reason=x");
    ctl.run("enqueue", "demo", "/node-1", "--delay=10m", "--reason=x");
    assertThat(server.received().stream().map(FakeAdminApi.Received::body))
        .containsExactly(
            "{\"reschedule\":true,\"reason\":\"x\"}",
            "{\"delay\":\"1h30m\",\"reason\":\"x\"}",
            "{\"namespace\":\"\",\"name\":\"node-1\",\"delay\":\"10m\",\"reason\":\"x\"}");
    assertThat(ctl.run("requeue", "demo", "shop/cart-7", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors()).contains("requeue needs --delay");
    assertThat(ctl.run("requeue", "demo", "a", "--delay=soon", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors()).contains("expected a duration such as 30s");
  }

  @Test
  void aReplicaThatRequiresIfMatch_receivesTheCurrentRevision() {
    server.on("POST " + PATH + "/retry", 428, "{\"title\":\"If-Match required\"}");
    server.on("POST " + PATH + "/retry", 200, APPLIED);
    server.on("GET " + PATH, new FakeAdminApi.Reply(200, Map.of("ETag", "\"17\""), ITEM, false));
    assertThat(ctl.run("retry", "demo", "shop/cart-7", "--reason=x")).isZero();
    assertThat(server.received().getLast().headers()).containsEntry("if-match", "\"17\"");
  }

  @Test
  void pauses_haveAnEndOrNone() {
    String paused =
        "{\"kind\":\"Controller\",\"name\":\"demo\",\"pause\":{\"until\":\"2026-11-20T10:30:00Z\"}}";
    server.on("POST /controllers/demo/pause", 200, paused);
    server.on("POST /controllers/demo/resume", 200, "{\"kind\":\"Controller\",\"name\":\"demo\"}");
    assertThat(ctl.run("pause", "demo", "--for", "30m", "--reason=x")).isZero();
    assertThat(ctl.output()).isEqualTo("controller/demo paused until 2026-11-20T10:30:00.000Z\n");
    assertThat(ctl.run("resume", "controller/demo", "--reason=x")).isZero();
    assertThat(ctl.output()).isEqualTo("controller/demo resumed\n");
    assertThat(ctl.run("pause", "demo", "--for=30m", "--until=x", "--reason=x")).isEqualTo(1);
    assertThat(ctl.run("pause", "demo", "nope", "--reason=x")).isEqualTo(2);
    assertThat(server.received().getFirst().body())
        .isEqualTo("{\"duration\":\"30m\",\"reason\":\"x\"}");
  }

  @Test
  void aControllerThatIsAsRequestedAlready_isNotCalledChanged() {
    server.on(
        "POST /controllers/demo/pause",
        200,
        "{\"kind\":\"Controller\",\"name\":\"demo\",\"pause\":{},\"result\":\"skipped\","
            + "\"detail\":\"it is paused already; nothing was changed\"}");
    server.on(
        "POST /controllers/demo/pause",
        200,
        "{\"kind\":\"Controller\",\"name\":\"demo\",\"result\":\"applied\",\"detail\":\"it was paused already\"}");
    server.on(
        "POST /controllers/demo/resume",
        200,
        "{\"kind\":\"Controller\",\"name\":\"demo\",\"result\":\"skipped\"}");
    assertThat(ctl.run("pause", "demo", "--reason=x")).isEqualTo(1);
    assertThat(ctl.output())
        .isEqualTo("controller/demo not changed: it is paused already; nothing was changed\n");
    assertThat(ctl.run("resume", "demo", "--reason=x")).isEqualTo(1);
    assertThat(ctl.output()).isEqualTo("controller/demo not changed\n");
    assertThat(ctl.run("pause", "demo", "--reason=x")).isZero();
    assertThat(ctl.output()).isEqualTo("controller/demo paused; it was paused already\n");
  }
}
