// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.rbac;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.SimpleController;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.dependant.Dependants;
import dev.coxswain.k8s.object.FinalizerRegistry;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ControllerRightsTest {

  @KubernetesResource(group = "shop.example.com", version = "v1", plural = "orders")
  static final class Order extends CustomObject {
    @Nullable Map<String, String> status;
  }

  static final class Orders implements ControllerDefinition {
    @Override
    public String name() {
      return "orders";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      Kubernetes k8s = environment.get(Kubernetes.class);
      Resource<Order> orders = k8s.resource(Order.class);
      Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
      return Controller.named(name())
          .watches(k8s.kind(Order.class).toSource())
          .watches(
              k8s.kind(V1Namespace.class).handledBy(Handlers.map(space -> List.of())).toSource())
          .watches(k8s.kind(V1ConfigMap.class).handledBy(Handlers.owner(Order.class)).toSource())
          .reconciles((request, context) -> reconcile(request, orders, maps));
    }

    private static Result reconcile(
        Request request, Resource<Order> orders, Resource<V1ConfigMap> maps) {
      maps.createOrPatch(
          request,
          V1ConfigMap::new,
          map -> OwnerReferences.setController(ResourceType.of(Order.class), new Order(), map));
      orders.modifyStatus(request, order -> order.status = Map.of("phase", "done"));
      return Result.done();
    }
  }

  @Test
  void rightsOfAController_areWhatItWatches_andTheVerbsOfItsCalls() throws Exception {
    assertThat(rights().rules())
        .containsExactly(
            rule("", "configmaps", true, "get list watch create patch"),
            rule("", "namespaces", false, "list watch"),
            rule("shop.example.com", "orders", true, "get list watch create patch"),
            rule("shop.example.com", "orders/finalizers", true, "update"),
            rule("shop.example.com", "orders/status", true, "patch"));
  }

  @Test
  void roles_areForTheNamespaceOrTheCluster_orForTheChart() throws Exception {
    List<ControllerRights> rights = List.of(rights());
    String orders =
        "- {apiGroups: [shop.example.com], resources: [orders], verbs: [get, list, watch, create,"
            + " patch]}\n";
    assertThat(RoleManifests.clusterRoles(rights))
        .startsWith(
            """
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRole
            metadata: {name: coxswain-controller-orders}
            rules:
            - {apiGroups: [""], resources: [configmaps], verbs: [\
            """)
        .contains(orders);
    String inNamespace = RoleManifests.roles(rights, "shop");
    assertThat(inNamespace)
        .contains("kind: Role\nmetadata: {name: coxswain-controller-orders, namespace: shop}\n");
    assertThat(inNamespace.substring(inNamespace.indexOf("---")))
        .contains("kind: ClusterRole", "[namespaces]")
        .doesNotContain("orders]");
    String values = RoleManifests.chartValues(rights);
    assertThat(values).startsWith("controllerRules:\n- {").contains(orders);
    assertThat(values.substring(values.indexOf("controllerClusterRules:\n- {")))
        .as("a Role gives no right to them")
        .contains("[namespaces]")
        .doesNotContain("orders]");
  }

  /** Such a namespace was a number, and the server refused the role. */
  @Test
  void namesThatAreSomethingElseInYaml_areQuoted() throws Exception {
    assertThat(new AccessRule("no", "y", true, List.of("*")).toYaml())
        .isEqualTo("- {apiGroups: [\"no\"], resources: [\"y\"], verbs: [\"*\"]}");
    assertThat(RoleManifests.roles(List.of(rights()), "1e3")).contains("namespace: \"1e3\"}");
  }

  @Test
  void classesWithoutCalls_needNoVerbs_andReadersCannotWrite() {
    assertThat(calls(Order.class)).isEqualTo(new ClientCalls(Map.of(), false, false));
    assertThat(calls(Reader.class).on("")).containsExactlyInAnyOrder("get", "list");
  }

  @Test
  void callsOfOtherClasses_countWhenTheyAreReferredTo() {
    List<ClassModel> all = List.of(model(Orders.class), model(Reader.class), model(Front.class));
    assertThat(ClientCalls.from(all, Front.class.getName()).on(""))
        .containsExactlyInAnyOrder("get", "list");
    assertThat(ClientCalls.from(all, "no.such.Type").verbs()).isEmpty();
  }

  @Test
  void eachMethodOfTheClient_hasItsVerbs() {
    assertThat(Arrays.stream(Resource.class.getMethods()))
        .filteredOn(method -> method.getDeclaringClass() != Object.class)
        .extracting(Method::getName)
        .isNotEmpty()
        .allMatch(ClientCalls::knows);
  }

  @Test
  void registriesOfFinalizers_readAndPatch() {
    assertThat(calls(Cleaner.class).on("")).containsExactlyInAnyOrder("get", "patch");
  }

  static final class Cleaner {
    boolean isLive(FinalizerRegistry<Order> finalizers, Order order) throws Exception {
      return finalizers.handle(order).isPresent();
    }
  }

  @Test
  void declaredDependants_areWrittenAndDeleted_andOwned() {
    ClientCalls calls = calls(Declaring.class);
    assertThat(calls.on("")).containsExactlyInAnyOrder("get", "create", "patch", "delete");
    assertThat(calls.owns()).isTrue();
  }

  @Test
  void aControllerInOneMethod_changesItsObjects_andTheirStatus() {
    ClientCalls calls = calls(Stamps.class);
    assertThat(calls.on("")).containsExactlyInAnyOrder("get", "patch");
    assertThat(calls.on("status")).containsExactly("patch");
  }

  static final class Stamps extends SimpleController<Order> {
    Stamps() {
      super(Order.class, "");
    }

    @Override
    protected Result reconcile(Order order) {
      return Result.done();
    }
  }

  static final class Declaring {
    boolean isReady(Dependants<Order> dependants, Order order) {
      return dependants.apply(order).isReady();
    }
  }

  record Front(Reader reader) {
    static Front of(Resource<Order> orders) {
      return new Front(new Reader(orders));
    }
  }

  static final class Reader {
    private final Resource<Order> orders;

    Reader(Resource<Order> orders) {
      this.orders = orders;
    }

    Stream<Order> all(List<Request> keys) {
      // A reference to a method counts as a call.
      Stream<Order> some = keys.stream().map(orders::get).flatMap(Optional::stream);
      return Stream.concat(some, orders.list(ListOptions.ALL).stream());
    }
  }

  private static ControllerRights rights() throws Exception {
    try (Kubernetes nowhere = Kubernetes.at("http://127.0.0.1:1", KubernetesOptions.DEFAULT)) {
      return ControllerRights.of(new Orders(), calls(Orders.class), environment(nowhere));
    }
  }

  private static ControllerEnvironment environment(Kubernetes kubernetes) {
    return new ControllerEnvironment() {
      @Override
      public <T> T get(Class<T> type) {
        return type.cast(kubernetes);
      }

      @Override
      public Map<String, Object> config() {
        return Map.of();
      }

      @Override
      public Clock clock() {
        return Clock.system();
      }
    };
  }

  private static ClientCalls calls(Class<?> type) {
    return ClientCalls.in(List.of(model(type)));
  }

  private static ClassModel model(Class<?> type) {
    String file = "/" + type.getName().replace('.', '/') + ".class";
    try (InputStream in = Objects.requireNonNull(type.getResourceAsStream(file), file)) {
      return ClassFile.of().parse(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static AccessRule rule(String group, String resource, boolean namespaced, String verbs) {
    return new AccessRule(group, resource, namespaced, List.of(verbs.split(" ", -1)));
  }
}
